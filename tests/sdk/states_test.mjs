// What the SDK hears while turns are under way, and when they hear it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import {query} from '@anthropic-ai/claude-agent-sdk';

import {calls, says} from './model_server.mjs';
import {collect, place, resultOf, says_, text} from './place.mjs';

const bypass = {permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true};
const first = '11111111-1111-4111-8111-111111111111';
const second = '22222222-2222-4222-8222-222222222222';
const untilGo = 'touch begun; until test -e go; do sleep 0.01; done';

const subtypes = (messages, ...wanted) =>
    messages.filter((message) => wanted.includes(message.subtype)).map((message) => message.subtype);

// Says `one`, then, while its call runs, `two`; and lets the call end when that was heard.
async function sayTwo(here, one, two) {
  let end;
  const answered = new Promise((go) => (end = go));
  const prompt = (async function* () {
    yield one;
    await here.appears('begun');
    yield two;
    await running.getContextUsage();  // it was written behind the message
    fs.writeFileSync(path.join(here.project, 'go'), '');
    await answered;
  })();
  const running = query({prompt, options: {...here.options, ...bypass}});
  const results = [];
  for await (const message of running) {
    if (message.type !== 'result') continue;
    results.push(message);
    if (message.user_message_uuids?.includes(two.uuid)) end();
  }
  return results;
}

test('a message is heard with the next results', async (t) => {
  const here = await place(t, [calls(['t1', 'Bash', {command: untilGo}]), says('both')]);
  const results = await sayTwo(here, says_('go', first), says_('also this', second));
  assert.equal(results.length, 1);
  assert.equal(results[0].result, 'both');
  assert.equal(results[0].user_message_uuid, first);
  assert.deepEqual(results[0].user_message_uuids, [first, second]);
  assert.match(text(here.model.bodies[1]), /also this/);
});

test('a message for now is the next turn', async (t) => {
  const here = await place(t, [calls(['t1', 'Bash', {command: untilGo}]), says('now')]);
  const results = await sayTwo(here, says_('go', first), {...says_('hurry', second), priority: 'now'});
  assert.equal(results.length, 2);
  assert.equal(results[0].terminal_reason, 'aborted_tools');
  assert.deepEqual(results[0].user_message_uuids, [first]);
  assert.equal(results[1].result, 'now');
  assert.match(text(here.model.bodies[1]), /hurry/);
});

test('hooks, tasks and states are told', async (t) => {
  const here = await place(t, [
    calls(['t1', 'Bash', {command: 'exit 3', description: 'fail', run_in_background: true}]),
    calls(['t2', 'TaskOutput', {task_id: 'bash_1'}]),
    says('done'),
  ]);
  const hooks = {PreToolUse: [{matcher: 'Bash', hooks: [async () => ({})]}]};
  const messages = await collect(query({
    prompt: 'go',
    options: {
      ...here.options,
      ...bypass,
      hooks,
      includeHookEvents: true,
      env: {...here.options.env, CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1'},
    },
  }));
  assert.equal(resultOf(messages).result, 'done');
  const [started, ended] = messages.filter((message) => message.hook_id);
  assert.equal(started.subtype, 'hook_started');
  assert.equal(ended.subtype, 'hook_response');
  assert.equal(started.hook_id, ended.hook_id);
  assert.equal(started.hook_name, 'PreToolUse:Bash');
  assert.equal(ended.outcome, 'success');
  assert.deepEqual(
      subtypes(messages, 'task_started', 'task_updated', 'task_notification', 'background_tasks_changed'),
      ['background_tasks_changed', 'task_started', 'task_updated', 'task_notification', 'background_tasks_changed']);
  assert.equal(messages.find((message) => message.subtype === 'task_notification').status, 'failed');
  assert.deepEqual(
      messages.filter((message) => message.subtype === 'session_state_changed').map((message) => message.state),
      ['running', 'idle']);
});
