// Every public method of a query, against deft.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import {createSdkMcpServer, query, tool} from '@anthropic-ai/claude-agent-sdk';
import {z} from 'zod';

import {calls, says} from './model_server.mjs';
import {conversation, place, resultOf, text} from './place.mjs';

const bypass = {permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true};

test('what there is can be asked for', async (t) => {
  const here = await place(t, [says('ok')]);
  const skill = path.join(here.project, '.claude/skills/greet');
  fs.mkdirSync(skill, {recursive: true});
  fs.writeFileSync(path.join(skill, 'SKILL.md'), '---\ndescription: Greets\n---\nSay hello.\n');
  const talk = conversation(query, {...here.options, agents: {helper: {description: 'Helps', prompt: 'You help.'}}});
  const {running} = talk;
  const start = await running.initializationResult();
  assert.equal(start.claude_code_version.split('.').length, 3);
  assert.ok((await running.supportedCommands()).some((command) => command.name === 'compact'));
  assert.ok((await running.supportedModels()).some((model) => model.value === 'test-model'));
  const agents = await running.supportedAgents();
  assert.ok(agents.some((agent) => agent.name === 'helper' && agent.description === 'Helps'));
  assert.ok(agents.some((agent) => agent.name === 'general-purpose'));
  assert.deepEqual(await running.mcpServerStatus(), []);
  assert.equal((await running.accountInfo()).apiKeySource, 'ANTHROPIC_API_KEY');
  assert.deepEqual((await running.reloadOutputStyles()).available_output_styles, ['default']);
  assert.ok((await running.reloadSkills()).skills.some((one) => one.name === 'greet'));
  const plugins = await running.reloadPlugins();
  assert.deepEqual(plugins.plugins, []);
  assert.equal(plugins.error_count, 0);
  assert.ok((await running.reinitialize()).agents.length > 0);
  await talk.end();
});

test('how full the context is, and what was used', async (t) => {
  const here = await place(t, [says('ok')]);
  const talk = conversation(query, here.options);
  await talk.say('hello');
  const usage = await talk.running.getContextUsage();
  assert.equal(usage.totalTokens, 15);
  assert.equal(usage.maxTokens, 200000);
  assert.equal(usage.model, 'test-model');
  assert.ok(usage.percentage > 0 && usage.percentage < 1);
  assert.ok(usage.categories.some((row) => row.id === 'free_space' && row.kind === 'free'));
  assert.ok(usage.agents.some((agent) => agent.agentType === 'Explore'));
  for (const list of ['gridRows', 'memoryFiles', 'mcpTools']) assert.ok(Array.isArray(usage[list]), list);
  assert.equal(usage.isAutoCompactEnabled, true);
  const spent = await talk.running.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET({skipBehaviors: true});
  assert.equal(spent.session.model_usage['test-model'].outputTokens, 5);
  assert.equal(spent.rate_limits_available, false);
  await talk.end();
});

test('model, mode and thinking change from one turn to the next', async (t) => {
  const here = await place(t, [says('one'), says('two'), says('three')]);
  const talk = conversation(query, here.options);
  await talk.say('one');
  await talk.running.setModel('other-model');
  await talk.running.setPermissionMode('acceptEdits');
  await talk.running.setMaxThinkingTokens(4000, 'omitted');
  const heard = await talk.say('two');
  assert.equal(here.model.bodies[1].model, 'other-model');
  assert.deepEqual(here.model.bodies[1].thinking, {type: 'enabled', budget_tokens: 4000, display: 'omitted'});
  assert.equal(heard.find((message) => message.subtype === 'init').permissionMode, 'acceptEdits');
  await talk.running.setModel();
  await talk.running.setMaxThinkingTokens(null);
  await talk.say('three');
  assert.equal(here.model.bodies[2].model, 'test-model');
  assert.equal(here.model.bodies[2].thinking, undefined);
  await assert.rejects(talk.running.setPermissionMode('bypassPermissions'), /not made available/);
  await talk.end();
});

test('settings of the command line are changed on the way', async (t) => {
  const here = await place(t, [
    says('one'), calls(['t1', 'Bash', {command: 'touch denied'}]), says('two'),
    calls(['t2', 'Bash', {command: 'touch allowed'}]), says('three'),
  ]);
  const talk = conversation(query, here.options);
  await talk.say('one');
  await talk.running.applyFlagSettings({permissions: {deny: ['Bash(touch:*)']}, model: 'flagged-model'});
  await talk.say('two');
  assert.equal(here.model.bodies[1].model, 'flagged-model');
  assert.match(text(here.model.bodies[2]), /denies/);
  await talk.running.applyFlagSettings({permissions: {allow: ['Bash(touch:*)']}, model: null});
  await talk.say('three');
  assert.equal(here.model.bodies[3].model, 'test-model');
  assert.ok(here.has('allowed') && !here.has('denied'));
  await assert.rejects(talk.running.applyFlagSettings({permissions: {deny: 'Bash'}}), /deny/);
  await talk.end();
});

test('a file is read as the Read tool would be allowed to', async (t) => {
  const here = await place(t, [says('ok')]);
  fs.writeFileSync(path.join(here.project, 'a.txt'), 'hello\n');
  fs.writeFileSync(path.join(here.project, 'secret.txt'), 'hidden\n');
  const talk = conversation(query, {...here.options, disallowedTools: ['Read(secret.txt)']});
  const {running} = talk;
  const whole = await running.readFile('a.txt');
  assert.deepEqual([whole.contents, whole.absPath, whole.lossy],
                   ['hello\n', path.join(here.project, 'a.txt'), false]);
  const part = await running.readFile('a.txt', {maxBytes: 2, encoding: 'base64'});
  assert.deepEqual([part.contents, part.encoding, part.truncated], ['aGU=', 'base64', true]);
  for (const no of ['secret.txt', 'missing.txt', '/etc/shadow', '../..']) {
    assert.equal(await running.readFile(no), null, no);
  }
  await talk.end();
});

test('a file that the host has seen read may be edited', async (t) => {
  const edit = (id) => calls([id, 'Edit', {file_path: 'a.txt', old_string: 'one', new_string: 'two'}]);
  const here = await place(t, [edit('t1'), says('no'), edit('t2'), says('yes')]);
  const file = path.join(here.project, 'a.txt');
  fs.writeFileSync(file, 'one\n');
  const talk = conversation(query, {...here.options, permissionMode: 'acceptEdits'});
  await talk.say('edit');
  assert.equal(fs.readFileSync(file, 'utf8'), 'one\n');
  const mtime = Math.floor(fs.statSync(file).mtimeMs);
  await talk.running.seedReadState(file, mtime - 5000);  // it was another one then
  await talk.running.seedReadState(file, mtime);
  await talk.say('edit again');
  assert.equal(fs.readFileSync(file, 'utf8'), 'two\n');
  await talk.end();
});

test('a command goes to the background and is stopped there', async (t) => {
  const here = await place(t, [calls(['t1', 'Bash', {command: 'touch begun; sleep 1000'}]), says('it runs')]);
  const talk = conversation(query, {...here.options, ...bypass});
  const turn = talk.say('go');
  await here.appears('begun');
  assert.equal(await talk.running.backgroundTasks('no-such-call'), false);
  assert.equal(await talk.running.backgroundTasks('t1'), true);
  const heard = await turn;
  const id = heard.find((message) => message.type === 'user').tool_use_result.backgroundTaskId;
  assert.ok(id, text(here.model.bodies[1]));
  await talk.running.stopTask(id);
  await assert.rejects(talk.running.stopTask(id), /ended already/);
  await assert.rejects(talk.running.stopTask('no-such-task'), /no task/);
  await talk.end();
});

test('MCP servers of the program come and go', async (t) => {
  const here = await place(t, [
    says('one'), calls(['t1', 'mcp__late__hello', {name: 'you'}]), says('two'), says('three'),
  ]);
  const hello = tool('hello', 'Greets', {name: z.string()},
                     async ({name}) => ({content: [{type: 'text', text: `hello ${name}`}]}));
  const talk = conversation(query, {...here.options, allowedTools: ['mcp__late']});
  await talk.say('one');
  const added = await talk.running.setMcpServers({late: createSdkMcpServer({name: 'late', tools: [hello]})});
  assert.deepEqual(added.added, ['late']);
  const until = async (status) => {
    for (;;) {
      const found = (await talk.running.mcpServerStatus()).find((server) => server.name === 'late');
      if (found?.status === status) return found;
      await new Promise((soon) => setTimeout(soon, 5));
    }
  };
  assert.equal((await until('connected')).serverInfo.name, 'late');
  await talk.say('two');
  assert.match(text(here.model.bodies[2]), /hello you/);
  await talk.running.toggleMcpServer('late', false);
  await until('disabled');
  await talk.running.toggleMcpServer('late', true);
  await until('connected');
  await talk.running.reconnectMcpServer('late');
  await until('connected');
  assert.deepEqual((await talk.running.setMcpServers({})).removed, ['late']);
  const heard = await talk.say('three');
  assert.ok(!heard.find((message) => message.subtype === 'init').tools.includes('mcp__late__hello'));
  await assert.rejects(talk.running.reconnectMcpServer('nobody'), /no MCP server/);
  await assert.rejects(talk.running.toggleMcpServer('nobody', true), /no MCP server/);
  await talk.end();
});

test('settings are kept, and a server can be made stricter than the mode', async (t) => {
  const here = await place(t, [calls(['t1', 'mcp__own__hello', {}]), says('one'), calls(['t2', 'mcp__own__hello', {}]), says('two')]);
  const hello = tool('hello', 'Greets', {}, async () => ({content: [{type: 'text', text: 'hello'}]}));
  const own = createSdkMcpServer({name: 'own', tools: [hello]});
  const talk = conversation(query, {...here.options, ...bypass, mcpServers: {own}});
  const {running} = talk;
  await running.updateSettings('userSettings', {effortLevel: 'high'});
  const kept = JSON.parse(fs.readFileSync(path.join(here.options.env.HOME, '.config/deft/settings.json'), 'utf8'));
  assert.deepEqual(kept, {effortLevel: 'high'});
  assert.match((await running.setMcpPermissionModeOverride('nobody', 'auto')).warning, /nobody/);
  assert.equal((await running.setMcpPermissionModeOverride('own', 'default')).warning, undefined);
  assert.equal(resultOf(await talk.say('one')).permission_denials.length, 1);
  await running.setMcpPermissionModeOverride('own', null);
  assert.equal(resultOf(await talk.say('two')).permission_denials.length, 0);
  await talk.end();
});

test('what deft does not do is refused by name', async (t) => {
  const here = await place(t, [says('ok')]);
  const talk = conversation(query, here.options);
  const {running} = talk;
  await assert.rejects(running.updateSettings('localSettings', {outputStyle: 'pirate'}), /outputStyle must be/);
  await assert.rejects(running.updateSettings('userSettings', {model: 'x'}), /only effortLevel/);
  await assert.rejects(running.readMcpResource('x', 'ui://x'), /no MCP server/);
  await assert.rejects(running.reloadPlugins({addPlugins: [{type: 'local', path: '/x'}]}), /no plugins/);
  await talk.end();
});

test('an interrupt tells what still waits', async (t) => {
  const here = await place(t, [calls(['t1', 'Bash', {command: 'touch begun; sleep 1000'}]), says('after')]);
  const waiting = '33333333-3333-4333-8333-333333333333';
  let go;
  const gate = new Promise((open) => (go = open));
  const prompt = (async function* () {
    yield {type: 'user', message: {role: 'user', content: 'one'}, parent_tool_use_id: null, session_id: ''};
    yield {type: 'user', message: {role: 'user', content: 'two'}, parent_tool_use_id: null, session_id: '', uuid: waiting};
    await gate;
  })();
  const running = query({prompt, options: {...here.options, ...bypass}});
  const results = [];
  const heard = (async () => {
    for await (const message of running) {
      if (message.type === 'result') results.push(message);
      if (results.length === 2) go();
    }
  })();
  await here.appears('begun');
  assert.deepEqual(await running.interrupt(), {still_queued: [waiting]});
  await heard;
  assert.equal(results[0].terminal_reason, 'aborted_tools');
  assert.equal(results[0].queued_turn_count, 1);
  assert.equal(results[1].result, 'after');
});

test('streamInput brings further prompts', async (t) => {
  const here = await place(t, [says('one'), says('two')]);
  const talk = conversation(query, here.options);
  await talk.say('one');
  await talk.running.streamInput((async function* () {
    yield {type: 'user', message: {role: 'user', content: 'more'}, parent_tool_use_id: null, session_id: ''};
  })());
  const heard = [];
  for await (const message of talk.running) heard.push(message);
  assert.equal(resultOf(heard).result, 'two');
});
