// The public TypeScript SDK with deft as its executable, against a scripted model.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import {createSdkMcpServer, query, tool} from '@anthropic-ai/claude-agent-sdk';
import {z} from 'zod';

import {calls, says} from './model_server.mjs';
import {collect, place, resultOf, text} from './place.mjs';

test('a query with a tool call gives its messages and a result', async (t) => {
  const here = await place(t, [calls(['t1', 'Read', {file_path: 'note.txt'}]), says('It says hello.')]);
  fs.writeFileSync(path.join(here.project, 'note.txt'), 'hello from the file\n');
  const messages = await collect(query({prompt: 'What does the note say?', options: here.options}));
  assert.equal(messages[0].type, 'system');
  assert.equal(messages[0].subtype, 'init');
  assert.equal(messages[0].cwd, here.project);
  assert.deepEqual(messages.map((message) => message.type), ['system', 'assistant', 'user', 'assistant', 'result']);
  assert.equal(resultOf(messages).subtype, 'success');
  assert.equal(resultOf(messages).result, 'It says hello.');
  assert.equal(resultOf(messages).num_turns, 2);
  assert.match(text(here.model.bodies[1]), /hello from the file/);
});

test('canUseTool allows, changes the input and denies', async (t) => {
  const here = await place(t, [
    calls(['t1', 'Bash', {command: 'touch wrong'}], ['t2', 'Bash', {command: 'touch denied'}]), says('done'),
  ]);
  const asked = [];
  const canUseTool = async (name, input, {toolUseID}) => {
    asked.push([name, input.command, toolUseID]);
    if (input.command === 'touch denied') return {behavior: 'deny', message: 'not that one'};
    return {behavior: 'allow', updatedInput: {...input, command: 'touch right'}};
  };
  const messages = await collect(query({prompt: 'go', options: {...here.options, canUseTool}}));
  assert.deepEqual(asked, [['Bash', 'touch wrong', 't1'], ['Bash', 'touch denied', 't2']]);
  assert.ok(here.has('right'));
  assert.ok(!here.has('wrong') && !here.has('denied'));
  assert.match(text(here.model.bodies[1]), /not that one/);
  assert.equal(resultOf(messages).permission_denials.length, 1);
});

test('functions of the program are hooks', async (t) => {
  const here = await place(t, [
    calls(['t1', 'Bash', {command: 'echo seen'}], ['t2', 'Bash', {command: 'touch made'}]), says('done'),
  ]);
  const seen = [];
  const before = async (input) => {
    seen.push(`before ${input.tool_input.command}`);
    if (!input.tool_input.command.startsWith('touch')) return {};
    return {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'hands off',
      },
    };
  };
  const after = async (input) => {
    seen.push(`after ${input.tool_response.stdout}`);
    return {};
  };
  await collect(query({
    prompt: 'go',
    options: {
      ...here.options,
      hooks: {PreToolUse: [{matcher: 'Bash', hooks: [before]}], PostToolUse: [{hooks: [after]}]},
    },
  }));
  assert.deepEqual(seen.sort(), ['after seen', 'before echo seen', 'before touch made']);
  assert.ok(!here.has('made'));
  assert.match(text(here.model.bodies[1]), /hands off/);
});

test('an interrupt ends the turn, and the conversation goes on', async (t) => {
  const here = await place(t, [calls(['t1', 'Bash', {command: 'touch begun; sleep 1000'}]), says('after')]);
  let next;
  const gate = new Promise((go) => (next = go));
  const says_ = (content) =>
      ({type: 'user', message: {role: 'user', content}, parent_tool_use_id: null, session_id: ''});
  async function* prompts() {
    yield says_('go');
    await gate;
    yield says_('go on');
  }
  const conversation = query({
    prompt: prompts(),
    options: {...here.options, permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true},
  });
  const results = [];
  for await (const message of conversation) {
    if (message.type === 'assistant' && results.length === 0) {
      await here.appears('begun');
      await conversation.interrupt();
    }
    if (message.type !== 'result') continue;
    results.push(message);
    next();
  }
  assert.equal(results.length, 2);
  assert.equal(results[0].subtype, 'error_during_execution');
  assert.equal(results[1].result, 'after');
});

test('a session is resumed with all that was said', async (t) => {
  const here = await place(t, [says('first answer'), says('second answer')]);
  const first = await collect(query({prompt: 'first question', options: here.options}));
  const resume = resultOf(first).session_id;
  const second = await collect(query({prompt: 'second question', options: {...here.options, resume}}));
  assert.equal(resultOf(second).session_id, resume);
  assert.match(text(here.model.bodies[1]), /first question.*first answer.*second question/);
  assert.deepEqual(here.model.bodies[0].system, here.model.bodies[1].system);
});

test('model, permission mode and words before the conversation are those of the options', async (t) => {
  const here = await place(t, [says('ok')]);
  const messages = await collect(query({
    prompt: 'go',
    options: {
      ...here.options,
      model: 'another-model',
      permissionMode: 'plan',
      systemPrompt: {type: 'preset', preset: 'claude_code', append: 'Speak twice.'},
      allowedTools: ['Read', 'Bash(git log:*)'],
      disallowedTools: ['WebFetch'],
      maxTurns: 3,
    },
  }));
  assert.equal(messages[0].model, 'another-model');
  assert.equal(messages[0].permissionMode, 'plan');
  assert.ok(!messages[0].tools.includes('WebFetch'));
  assert.equal(here.model.bodies[0].model, 'another-model');
  assert.match(JSON.stringify(here.model.bodies[0].system), /Speak twice\./);
});

test('an answer has the shape that was asked for', async (t) => {
  const here = await place(t, [calls(['t1', 'StructuredOutput', {count: 3}])]);
  const schema = {type: 'object', properties: {count: {type: 'integer'}}, required: ['count']};
  const messages = await collect(
      query({prompt: 'go', options: {...here.options, outputFormat: {type: 'json_schema', schema}}}));
  assert.deepEqual(resultOf(messages).structured_output, {count: 3});
});

test('partial messages come when they are wanted', async (t) => {
  const here = await place(t, [says('ok')]);
  const messages =
      await collect(query({prompt: 'go', options: {...here.options, includePartialMessages: true}}));
  const events = messages.filter((message) => message.type === 'stream_event').map((message) => message.event.type);
  assert.equal(events[0], 'message_start');
  assert.equal(events.at(-1), 'message_stop');
});

test('a model that refuses is an error of the query', async (t) => {
  const here = await place(t, ['event: error\ndata: {"type":"error","error":{"type":"invalid_request_error",' +
                               '"message":"no such thing"}}\n\n']);
  const messages = [];
  await assert.rejects(async () => {
    for await (const message of query({
      prompt: 'go',
      options: {...here.options, env: {...here.options.env, DEFT_MAX_RETRIES: '0'}},
    })) {
      messages.push(message);
    }
  }, /no such thing/);
  assert.equal(resultOf(messages).is_error, true);
});

test('tools of the program itself are called over the same lines', async (t) => {
  const here = await place(t, [calls(['t1', 'mcp__calc__add', {a: 2, b: 3}]), says('It is five.')]);
  const seen = [];
  const add = tool('add', 'Adds two numbers', {a: z.number(), b: z.number()}, async ({a, b}) => {
    seen.push([a, b]);
    return {content: [{type: 'text', text: `the sum is ${a + b}`}]};
  });
  const messages = await collect(query({
    prompt: 'add',
    options: {
      ...here.options,
      mcpServers: {calc: createSdkMcpServer({name: 'calc', tools: [add]})},
      allowedTools: ['mcp__calc__add'],
    },
  }));
  assert.deepEqual(seen, [[2, 3]]);
  assert.match(text(here.model.bodies[1]), /the sum is 5/);
  assert.equal(resultOf(messages).result, 'It is five.');
  assert.ok(messages[0].mcp_servers.some((server) => server.name === 'calc'));
});
