// Runs the official conformance suite on one of our two programs and compares what passed with our own table: the suite
// is content where nothing happens at all, the table is not.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [build, role, revision, suite] = process.argv.slice(2);
const expected = JSON.parse(
  readFileSync(join(dirname(fileURLToPath(import.meta.url)), 'conformance_counts.json'), 'utf8'),
)[`${role} ${revision}`];
if (!expected) {
  console.error(`there is no table for ${role} ${revision}`);
  process.exit(2);
}

// A client is started by the suite, once for each scenario. A server runs all the time; it ends when its input does.
const program = join(build, `mcp-conformance-${role}`);
let subject = ['--command', program];
let server;
if (role === 'server') {
  server = spawn(program, ['--port', '0'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [first] = await once(server.stdout, 'data');
  subject = ['--url', first.toString().trim()];
}

const results = mkdtempSync(join(tmpdir(), 'deft-conformance-'));
const run = spawnSync(
  process.execPath,
  [suite, role, ...subject, '--requirements', revision, '-o', results],
  { encoding: 'utf8', maxBuffer: 64 << 20, timeout: 300_000, env: { ...process.env, NO_COLOR: '1' } },
);
rmSync(results, { recursive: true, force: true });
server?.stdin.end();

const passed = new Map();
for (const line of run.stdout.split('\n')) {
  const summary = /^([✓✗~]) (\S+): (\d+) passed, (\d+) failed/u.exec(line);
  if (summary) passed.set(summary[2], { passed: Number(summary[3]), failed: Number(summary[4]) });
}

const problems = [];
if (run.status !== 0) problems.push(`the suite ended with ${run.status ?? run.signal}`);
for (const [scenario, count] of Object.entries(expected)) {
  const got = passed.get(scenario);
  if (!got) {
    problems.push(`${scenario}: did not run`);
  } else if (got.failed > 0 || got.passed < count) {
    problems.push(`${scenario}: ${got.passed} passed and ${got.failed} failed, where ${count} must pass`);
  }
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error(run.stdout, run.stderr);
  process.exit(1);
}
console.log(`${Object.keys(expected).length} scenarios passed, ${role} ${revision}`);
