// --permission-prompt-tool with a tool of a real MCP server.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import {calls, says} from './model_server.mjs';
import {place, text} from './place.mjs';

const server = path.resolve('gate_server.mjs');

async function ask(here, how, more = []) {
  const log = path.join(here.options.env.HOME, 'asked.jsonl');
  const config = {mcpServers: {gate: {command: process.execPath, args: [server, how, log]}}};
  const args = ['-p', 'go', '--output-format', 'json', '--mcp-config', JSON.stringify(config),
                '--permission-prompt-tool', 'mcp__gate__approve', ...more];
  const deft = spawn(process.env.DEFT_PROGRAM, args,
                     {cwd: here.project, env: here.options.env, stdio: ['ignore', 'pipe', 'pipe']});
  let out = '';
  let errors = '';
  deft.stdout.on('data', (bytes) => (out += bytes));
  deft.stderr.on('data', (bytes) => (errors += bytes));
  const code = await new Promise((done) => deft.on('close', done));
  const asked = fs.existsSync(log) ? fs.readFileSync(log, 'utf8').trim().split('\n').map((line) => JSON.parse(line)) : [];
  return {code, errors, asked, result: JSON.parse(out)};
}
const answers = () => [calls(['t1', 'Bash', {command: 'touch made'}]), says('ok')];

test('the tool is asked, and what it allows runs', async (t) => {
  const here = await place(t, answers());
  const {code, asked, result} = await ask(here, 'allow');
  assert.equal(code, 0);
  assert.deepEqual(asked, [{tool_name: 'Bash', input: {command: 'touch made'}, tool_use_id: 't1'}]);
  assert.ok(here.has('made'));
  assert.deepEqual(result.permission_denials, []);
  const offered = here.model.bodies[0].tools.map((tool) => tool.name);
  assert.ok(offered.includes('mcp__gate__other'));
  assert.ok(!offered.includes('mcp__gate__approve'), 'the model does not approve its own calls');
});

test('what it changes runs instead', async (t) => {
  const here = await place(t, answers());
  await ask(here, 'change');
  assert.ok(here.has('changed') && !here.has('made'));
});

test('what it denies does not run, and the model hears why', async (t) => {
  const here = await place(t, answers());
  const {result} = await ask(here, 'deny');
  assert.ok(!here.has('made'));
  assert.match(text(here.model.bodies[1]), /the gate is closed/);
  assert.equal(result.permission_denials.length, 1);
});

for (const how of ['nonsense', 'die']) {
  test(`a tool that gives no answer (${how}) is a denial that says so`, async (t) => {
    const here = await place(t, answers());
    const {code, result} = await ask(here, how);
    assert.equal(code, 0);
    assert.ok(!here.has('made'));
    assert.match(text(here.model.bodies[1]), /mcp__gate__approve/);
    assert.equal(result.permission_denials.length, 1);
  });
}

test('a tool that is not there is a denial too', async (t) => {
  const here = await place(t, answers());
  const {result} = await ask(here, 'allow', ['--permission-prompt-tool', 'mcp__gate__nobody']);
  assert.ok(!here.has('made'));
  assert.match(text(here.model.bodies[1]), /no such tool/);
  assert.equal(result.permission_denials.length, 1);
});

test('a deny rule is not asked about', async (t) => {
  const here = await place(t, answers());
  const {asked} = await ask(here, 'allow', ['--disallowedTools', 'Bash(touch:*)']);
  assert.deepEqual(asked, []);
  assert.ok(!here.has('made'));
});
