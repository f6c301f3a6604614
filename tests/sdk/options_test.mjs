// What options() can say, and what comes of it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import {createSdkMcpServer, query, tool} from '@anthropic-ai/claude-agent-sdk';

import {calls, says} from './model_server.mjs';
import {collect, place, resultOf, text} from './place.mjs';

const ask = (here, options = {}) => collect(query({prompt: 'go', options: {...here.options, ...options}}));
const toolsOf = (messages) => messages.find((message) => message.subtype === 'init').tools;

test('tools, allowedTools and disallowedTools', async (t) => {
  const here = await place(t, [calls(['t1', 'Bash', {command: 'touch made'}]), says('ok')]);
  const messages = await ask(here, {tools: ['Read', 'Bash'], allowedTools: ['Bash(touch:*)']});
  assert.deepEqual(toolsOf(messages).sort(), ['Bash', 'Read']);
  assert.ok(here.has('made'));
  const none = await place(t, [says('ok')]);
  assert.ok(!toolsOf(await ask(none, {disallowedTools: ['Write', 'Bash']})).some((name) => ['Write', 'Bash'].includes(name)));
});

test('system prompts: none, one of the program, and the preset with more', async (t) => {
  for (const [systemPrompt, expected, other] of [
         ['You are a test.', /You are a test\./, /Speak twice/],
         [{type: 'preset', preset: 'claude_code', append: 'Speak twice.'}, /Speak twice\./, /You are a test/],
       ]) {
    const here = await place(t, [says('ok')]);
    await ask(here, {systemPrompt});
    const system = JSON.stringify(here.model.bodies[0].system);
    assert.match(system, expected);
    assert.doesNotMatch(system, other);
  }
});

test('settingSources choose which files count', async (t) => {
  const here = await place(t, [says('ok')]);
  const folder = path.join(here.options.env.HOME, '.claude');
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, 'settings.json'), '{"permissions":{"deny":["WebFetch"]}}');
  assert.ok(!toolsOf(await ask(here)).includes('WebFetch'));
  assert.ok(toolsOf(await ask(here, {settingSources: []})).includes('WebFetch'));
});

test('additionalDirectories are worked in', async (t) => {
  const here = await place(t, [calls(['t1', 'Write', {file_path: '/', content: 'x'}]), says('ok')]);
  const other = fs.mkdtempSync(path.join(here.options.env.HOME, 'other-'));
  const there = await place(t, [calls(['t1', 'Write', {file_path: path.join(other, 'made'), content: 'x'}]), says('ok')]);
  await ask(there, {additionalDirectories: [other], permissionMode: 'acceptEdits'});
  assert.ok(fs.existsSync(path.join(other, 'made')));
});

test('an agent of the program does the talking', async (t) => {
  const here = await place(t, [says('ok')]);
  const messages = await ask(here, {
    agent: 'reviewer',
    agents: {
      reviewer: {
        description: 'Reviews', prompt: 'You only review.', tools: ['Read', 'Agent(Explore)'], model: 'review-model',
        initialPrompt: 'Look at the diff first.', permissionMode: 'plan',
      },
    },
  });
  assert.deepEqual(toolsOf(messages).sort(), ['Agent', 'Read']);
  const [body] = here.model.bodies;
  assert.equal(body.model, 'review-model');
  assert.match(JSON.stringify(body.system), /You only review\./);
  assert.match(text(body), /Look at the diff first\..*go/s);
  const init = messages.find((message) => message.subtype === 'init');
  assert.equal(init.permissionMode, 'plan');
  assert.deepEqual(init.agents, ['Explore']);
  await assert.rejects(ask(here, {agent: 'nobody'}), /no agent type/);
});

test('subagents of the program work, and their lines name the call', async (t) => {
  const here = await place(t, [
    calls(['t1', 'Agent', {description: 'look', prompt: 'look', subagent_type: 'scout'}]), says('I looked'), says('done'),
  ]);
  const messages = await ask(here, {agents: {scout: {description: 'Scouts', prompt: 'You scout.', tools: ['Read']}}});
  assert.match(JSON.stringify(here.model.bodies[1].system), /You scout\./);
  assert.match(text(here.model.bodies[2]), /I looked/);
  const said = (all) => all.filter((message) => message.parent_tool_use_id === 't1').map((message) => message.message.content);
  assert.deepEqual(said(messages), []);  // it made no call
  const there = await place(t, [
    calls(['t1', 'Agent', {description: 'look', prompt: 'look', subagent_type: 'general-purpose'}]), says('I looked'), says('done'),
  ]);
  assert.match(JSON.stringify(said(await ask(there, {forwardSubagentText: true}))), /I looked/);
});

test('servers come with the start of the conversation, not on the command line', async (t) => {
  const here = await place(t, [calls(['t1', 'mcp__gate__other', {}]), says('ok')]);
  const mcpServers = {gate: {command: process.execPath, args: [path.resolve('gate_server.mjs')], env: {SECRET: 'whispered'}}};
  const messages = await ask(here, {mcpServers, mcpServersDelivery: 'initialize'});
  assert.equal(resultOf(messages).result, 'ok');
  assert.ok(toolsOf(messages).includes('mcp__gate__other'));
});

test('what the options deny of a server of the program is denied in every mode', async (t) => {
  const called = [];
  const one = (name) => tool(name, name, {}, async () => {
    called.push(name);
    return {content: [{type: 'text', text: name}]};
  });
  const here = await place(t, [calls(['t1', 'mcp__own__wipe', {}], ['t2', 'mcp__own__look', {}]), says('ok')]);
  const own = createSdkMcpServer({name: 'own', tools: [one('wipe'), one('look')]});
  own.tools = [{name: 'wipe', permission_policy: 'always_deny'}];
  await ask(here, {mcpServers: {own}, permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true});
  assert.deepEqual(called, ['look']);
});

test('the model is offered the skills of the options alone', async (t) => {
  const here = await place(t, [calls(['t1', 'Skill', {skill: 'other'}]), says('ok')]);
  for (const name of ['wanted', 'other']) {
    const folder = path.join(here.options.env.HOME, '.claude', 'skills', name);
    fs.mkdirSync(folder, {recursive: true});
    fs.writeFileSync(path.join(folder, 'SKILL.md'), `---\ndescription: about ${name} things\n---\nThe text of ${name}.`);
  }
  const messages = await ask(here, {skills: ['wanted']});
  assert.deepEqual(messages.find((message) => message.subtype === 'init').skills, ['wanted']);
  assert.match(JSON.stringify(here.model.bodies[0].tools), /about wanted things/);
  assert.doesNotMatch(JSON.stringify(here.model.bodies[0].tools), /about other things/);
  assert.doesNotMatch(text(here.model.bodies[1]), /The text of other/);
});

test('a prompt that nobody typed calls no command', async (t) => {
  const here = await place(t, [says('ok')]);
  assert.equal(resultOf(await ask(here, {verbatimPrompts: true})).result, 'ok');
  const messages = await collect(query({prompt: '/cost of all that', options: {...here.options, verbatimPrompts: true}}));
  assert.equal(resultOf(messages).result, 'ok');
  assert.match(text(here.model.bodies.at(-1)), /\/cost of all that/);
});

test('limits end a turn with their own result', async (t) => {
  const here = await place(t, [calls(['t1', 'Glob', {pattern: '*'}])]);
  const messages = [];
  await assert.rejects(async () => {
    for await (const message of query({prompt: 'go', options: {...here.options, maxTurns: 2}})) messages.push(message);
  });
  const result = resultOf(messages);
  assert.equal(result.subtype, 'error_max_turns');
  assert.equal(result.terminal_reason, 'max_turns');
  assert.equal(result.num_turns, 2);
  const dear = await place(t, [calls(['t1', 'Glob', {pattern: '*'}])]);
  const prices = {'test-model': {input: 1000000, output: 1000000}};
  const spent = [];
  await assert.rejects(async () => {
    for await (const message of query(
             {prompt: 'go', options: {...dear.options, maxBudgetUsd: 1, settings: {prices}}})) spent.push(message);
  });
  assert.equal(resultOf(spent).subtype, 'error_max_budget_usd');
  assert.ok(resultOf(spent).total_cost_usd > 1);
});

test('the result has every field that callers count on', async (t) => {
  const here = await place(t, [calls(['t1', 'Bash', {command: 'touch x'}]), says('ok')]);
  const result = resultOf(await ask(here));
  for (const key of ['duration_ms', 'duration_api_ms', 'num_turns', 'total_cost_usd']) {
    assert.equal(typeof result[key], 'number', key);
  }
  assert.equal(result.stop_reason, 'end_turn');
  assert.equal(result.terminal_reason, 'completed');
  assert.equal(result.usage.input_tokens, 20);
  assert.equal(result.usage.cache_creation.ephemeral_5m_input_tokens, 0);
  assert.equal(result.usage.output_tokens_details.thinking_tokens, 0);
  assert.deepEqual(result.usage.iterations, []);
  assert.deepEqual(Object.keys(result.modelUsage), ['test-model']);
  const used = result.modelUsage['test-model'];
  for (const key of ['inputTokens', 'outputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens',
                     'webSearchRequests', 'costUSD', 'contextWindow', 'maxOutputTokens']) {
    assert.equal(typeof used[key], 'number', key);
  }
  assert.deepEqual(result.permission_denials, [{tool_name: 'Bash', tool_use_id: 't1', tool_input: {command: 'touch x'}}]);
});

test('every hook of the program hears of its event', async (t) => {
  const here = await place(t, [
    calls(['t1', 'Bash', {command: 'echo seen'}], ['t2', 'Read', {file_path: 'missing.txt'}]),
    calls(['t3', 'Agent', {description: 'look', prompt: 'look', subagent_type: 'general-purpose'}]), says('sub'), says('ok'),
  ]);
  const heard = new Map();
  const events = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PostToolBatch',
                  'SubagentStart', 'SubagentStop', 'Stop', 'SessionEnd'];
  const hooks = Object.fromEntries(events.map((event) => [event, [{hooks: [async (input) => {
    heard.set(event, [...(heard.get(event) ?? []), input]);
    return {};
  }]}]]));
  await ask(here, {hooks, permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true});
  const missing = events.filter((event) => event !== 'SessionEnd' && !heard.has(event));
  assert.deepEqual(missing, []);
  for (const [event, inputs] of heard) assert.equal(inputs[0].hook_event_name, event);
  assert.equal(heard.get('SubagentStop')[0].agent_type, 'general-purpose');
  assert.equal(heard.get('PostToolUse')[0].tool_name, 'Bash');
});

test('updatedPermissions of an answer count for what follows', async (t) => {
  const here = await place(t, [
    calls(['t1', 'Bash', {command: 'touch a'}]), calls(['t2', 'Bash', {command: 'touch b'}]), says('ok'),
  ]);
  const asked = [];
  await ask(here, {
    canUseTool: async (name, input, {suggestions}) => {
      asked.push(input.command);
      const updatedPermissions = suggestions.map((one) => ({...one, destination: 'session'}));
      updatedPermissions[0].rules = [{toolName: 'Bash', ruleContent: 'touch:*'}];
      return {behavior: 'allow', updatedInput: input, updatedPermissions};
    },
  });
  assert.deepEqual(asked, ['touch a']);
  assert.ok(here.has('a') && here.has('b'));
});

test('a denial with interrupt ends the turn', async (t) => {
  const here = await place(t, [calls(['t1', 'Bash', {command: 'touch a'}]), says('never')]);
  const canUseTool = async () => ({behavior: 'deny', message: 'stop it', interrupt: true});
  await assert.rejects(ask(here, {canUseTool}), /Interrupted/);  // the SDK throws at a result that is an error
  assert.equal(here.model.bodies.length, 1);
});

test('an abort ends deft', async (t) => {
  const here = await place(t, [calls(['t1', 'Bash', {command: 'touch begun; sleep 1000'}]), says('never')]);
  const abortController = new AbortController();
  const running = ask(here, {
    abortController, permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true,
  });
  await here.appears('begun');
  abortController.abort();
  await assert.rejects(running, /abort/i);
});

test('continue goes on with the last session of the folder', async (t) => {
  const here = await place(t, [says('one'), says('two')]);
  const first = resultOf(await ask(here)).session_id;
  assert.equal(resultOf(await ask(here, {continue: true})).session_id, first);
  assert.match(text(here.model.bodies[1]), /one/);
});

test('a fallback model answers when the first is overloaded', async (t) => {
  const overloaded =
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
  const here = await place(t, [overloaded, overloaded, overloaded, overloaded, says('from the other')]);
  const result = resultOf(await ask(here, {fallbackModel: 'second-model'}));
  assert.equal(result.result, 'from the other');
  assert.equal(here.model.bodies.at(-1).model, 'second-model');
});

test('what has no effect is said, and what nobody knows is an error', async (t) => {
  const here = await place(t, [says('ok')]);
  const messages = await ask(here, {plugins: [{type: 'local', path: '/nowhere'}]});
  assert.ok(messages.some((message) => message.subtype === 'informational' && /plugin/.test(message.content)));
  await assert.rejects(ask(here, {extraArgs: {'no-such-flag': null}}));
  assert.match(here.errors.join(''), /no-such-flag/);
});
