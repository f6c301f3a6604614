// `deft mcp serve` as others drive it: the official inspector's command line over stdio, and 5,000 calls over HTTP, 50 at
// once, in both eras. serve.mjs BUILD_FOLDER NODE_MODULES
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [build, modules] = process.argv.slice(2);
const deft = join(build, 'deft');
const folder = mkdtempSync(join(tmpdir(), 'deft-serve-'));
writeFileSync(join(folder, 'a.txt'), 'hello\n');
const token = 'a'.repeat(64);
const env = { PATH: '/usr/bin:/bin', HOME: folder, TMPDIR: folder, DEFT_MCP_TOKEN: token };
const problems = [];
const expect = (holds, what) => holds || problems.push(what);

// --- the inspector ---

const inspect = (...words) => {
  const run = spawnSync(
    process.execPath,
    [join(modules, '.bin/mcp-inspector'), '--cli', deft, 'mcp', 'serve', '--cwd', folder, ...words],
    { encoding: 'utf8', timeout: 120_000, env: { ...env, PATH: `${process.execPath.replace(/\/node$/, '')}:${env.PATH}` } },
  );
  return run.status === 0 ? run.stdout : `status ${run.status}: ${run.stderr}`;
};
expect(/"name": "Read"/.test(inspect('--method', 'tools/list')), 'the inspector lists no tools');
const read = inspect('--method', 'tools/call', '--tool-name', 'Read', '--tool-arg', 'file_path=a.txt');
expect(/hello/.test(read), `the inspector cannot call Read: ${read}`);
expect(/"resources": \[\]/.test(inspect('--method', 'resources/list')), 'the inspector lists no resources');

// --- under load ---

const server = spawn(deft, ['mcp', 'serve', '--cwd', folder, '--http', '127.0.0.1:0'], {
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [listening] = await once(server.stdout, 'data');
const { url } = JSON.parse(listening.toString());
const call = { name: 'Read', arguments: { file_path: 'a.txt' } };
const post = (message, headers) =>
  fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const modern = (id) =>
  post(
    { id, method: 'tools/call', params: { ...call, _meta: meta } },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'Read' },
  );

const begin = async () => {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'load', version: '1' } };
  const begun = await post({ id: 0, method: 'initialize', params });
  await begun.text();
  const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') };
  await post({ method: 'notifications/initialized' }, session);
  return (id) => post({ id, method: 'tools/call', params: call }, session);
};

const kCalls = 5000;
const kAtOnce = 50;
let made = 0;
let right = 0;
const worker = async (number) => {
  const ask = number % 2 === 0 ? modern : await begin();
  while (made < kCalls) {
    const answer = await ask(++made);
    const text = await answer.text();
    if (answer.status === 200 && text.includes('hello')) ++right;
    else if (problems.length < 5) problems.push(`${answer.status}: ${text.slice(0, 300)}`);
  }
};
await Promise.all(Array.from({ length: kAtOnce }, (_, number) => worker(number)));
expect(right === made && made >= kCalls, `${right} of ${made} calls were answered as they should`);
server.kill('SIGTERM');
const [code] = await once(server, 'exit');
expect(code === 0, `deft mcp serve ended with ${code}`);

rmSync(folder, { recursive: true, force: true });
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`the inspector is content, and ${right} calls were answered, ${kAtOnce} at once`);
