// Going back: files to what they were at a prompt, and conversations to an earlier message.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import {query} from '@anthropic-ai/claude-agent-sdk';

import {calls, says} from './model_server.mjs';
import {collect, conversation, place, resultOf, text} from './place.mjs';

const first = '11111111-1111-4111-8111-111111111111';
const second = '22222222-2222-4222-8222-222222222222';

// Two prompts: the first makes a file and changes another, the second changes both.
const answers = () => [
  calls(['t1', 'Read', {file_path: 'kept.txt'}]),
  calls(['t2', 'Edit', {file_path: 'kept.txt', old_string: 'one', new_string: 'two'}],
        ['t3', 'Write', {file_path: 'made.txt', content: 'made\n'}]),
  says('first done'),
  calls(['t4', 'Edit', {file_path: 'kept.txt', old_string: 'two', new_string: 'three'}],
        ['t5', 'Edit', {file_path: 'made.txt', old_string: 'made', new_string: 'changed'}]),
  says('second done'), says('third done'),
];

async function changed(t) {
  const here = await place(t, answers());
  fs.writeFileSync(path.join(here.project, 'kept.txt'), 'one\n');
  const options = {...here.options, permissionMode: 'acceptEdits', enableFileCheckpointing: true};
  const read = (name) => fs.readFileSync(path.join(here.project, name), 'utf8');
  return {here, options, read};
}

test('files are rewound to a prompt, and the next prompt tells so', async (t) => {
  const {here, options, read} = await changed(t);
  const talk = conversation(query, options);
  await talk.say('first', first);
  await talk.say('second', second);
  assert.equal(read('kept.txt'), 'three\n');

  const preview = await talk.running.rewindFiles(second, {dryRun: true});
  assert.equal(preview.canRewind, true);
  assert.deepEqual(preview.filesChanged.map((file) => path.basename(file)).sort(), ['kept.txt', 'made.txt']);
  assert.equal(preview.insertions, 2);
  assert.equal(preview.deletions, 2);
  assert.equal(read('kept.txt'), 'three\n', 'a dry run changes nothing');

  const done = await talk.running.rewindFiles(second);
  assert.equal(done.canRewind, true);
  assert.equal(read('kept.txt'), 'two\n');
  assert.equal(read('made.txt'), 'made\n');

  await talk.running.rewindFiles(first);
  assert.equal(read('kept.txt'), 'one\n');
  assert.ok(!here.has('made.txt'), 'what was made since is gone');
  await talk.say('third');
  assert.match(text(here.model.bodies.at(-1)), /taken back changes.*kept\.txt/s);
  await talk.end();
});

test('an unknown message cannot be rewound to, and says so', async (t) => {
  const {options} = await changed(t);
  const talk = conversation(query, options);
  const heard = await talk.say('first', first);
  const ofResult = heard.find((message) => message.type === 'user').uuid;
  for (const uuid of ['99999999-1111-4111-8111-111111111111', ofResult]) {
    await assert.rejects(talk.running.rewindFiles(uuid), /No file checkpoint found for this message/);
    const preview = await talk.running.rewindFiles(uuid, {dryRun: true});
    assert.equal(preview.canRewind, false);
    assert.match(preview.error, /No file checkpoint/);
  }
  await talk.end();
});

test('a file that somebody else has changed since is kept', async (t) => {
  const {here, options, read} = await changed(t);
  const talk = conversation(query, options);
  await talk.say('first', first);
  fs.writeFileSync(path.join(here.project, 'kept.txt'), 'by a person\n');
  const done = await talk.running.rewindFiles(first);
  assert.equal(done.canRewind, true);
  assert.deepEqual(done.filesChanged.map((file) => path.basename(file)), ['made.txt']);
  assert.match(done.error, /kept\.txt/);
  assert.equal(read('kept.txt'), 'by a person\n');
  assert.ok(!here.has('made.txt'));
  await talk.end();
});

test('a session that is gone on with can still be rewound', async (t) => {
  const {options, read} = await changed(t);
  const replayed = {...options, extraArgs: {'replay-user-messages': null}};
  const messages = await collect(query({prompt: 'first', options: replayed}));
  const uuid = messages.find((message) => message.type === 'user' && message.isReplay).uuid;
  assert.match(uuid, /^[0-9a-f-]{36}$/);
  const talk = conversation(query, {...options, resume: resultOf(messages).session_id});
  const heard = await talk.say('');  // nothing to say: the model is not asked
  assert.equal(resultOf(heard).subtype, 'success');
  assert.equal((await talk.running.rewindFiles(uuid)).canRewind, true);
  assert.equal(read('kept.txt'), 'one\n');
  await talk.end();
});

test('the setting turns rewinding off', async (t) => {
  const {options} = await changed(t);
  const talk = conversation(query, {...options, settings: {fileCheckpointingEnabled: false}});
  await talk.say('first', first);
  await assert.rejects(talk.running.rewindFiles(first), /not enabled/);
  await talk.end();
});

// --- conversations ---

const questions = (body) => body.messages.filter((message) => message.role === 'user')
    .flatMap((message) => message.content).filter((block) => block.type === 'text').map((block) => block.text);

test('a conversation goes on after an earlier message', async (t) => {
  const here = await place(t, [says('one'), says('two'), says('three'), says('four')]);
  const talk = conversation(query, here.options);
  const heard = await talk.say('first question', first);
  await talk.say('second question', second);
  await talk.end();
  const resume = resultOf(heard).session_id;
  const uuid = heard.find((message) => message.type === 'assistant').uuid;
  await collect(query({prompt: 'other question', options: {...here.options, resume, resumeSessionAt: uuid}}));
  assert.deepEqual(questions(here.model.bodies[2]), ['first question', 'other question']);
  // From now on that is the session.
  await collect(query({prompt: 'last question', options: {...here.options, resume}}));
  assert.deepEqual(questions(here.model.bodies[3]), ['first question', 'other question', 'last question']);
});

test('a fork leaves the session as it is', async (t) => {
  const here = await place(t, [says('one'), says('two'), says('three'), says('four')]);
  const talk = conversation(query, here.options);
  const heard = await talk.say('first question', first);
  await talk.say('second question', second);
  await talk.end();
  const resume = resultOf(heard).session_id;
  const forked = await collect(query({
    prompt: 'other question',
    options: {...here.options, resume, forkSession: true, resumeSessionAt: first},
  }));
  assert.notEqual(resultOf(forked).session_id, resume);
  assert.deepEqual(questions(here.model.bodies[2]), ['first question', 'other question']);
  await collect(query({prompt: 'last question', options: {...here.options, resume}}));
  assert.deepEqual(questions(here.model.bodies[3]), ['first question', 'second question', 'last question']);
});

test('a call that is kept has its result, one that is not is gone', async (t) => {
  const here = await place(t, [
    calls(['t1', 'Read', {file_path: 'a.txt'}], ['t2', 'Read', {file_path: 'b.txt'}]), says('both read'), says('again'),
    says('and again'),
  ]);
  fs.writeFileSync(path.join(here.project, 'a.txt'), 'content of a\n');
  fs.writeFileSync(path.join(here.project, 'b.txt'), 'content of b\n');
  const heard = await collect(query({prompt: 'read', options: here.options}));
  const resume = resultOf(heard).session_id;
  const blocks = heard.filter((message) => message.type === 'assistant');
  const uuidOfCall = blocks.find((message) => message.message.content[0].id === 't1').uuid;
  await collect(query({
    prompt: 'go on', options: {...here.options, resume, forkSession: true, resumeSessionAt: uuidOfCall},
  }));
  assert.match(text(here.model.bodies[2]), /content of a/);
  assert.doesNotMatch(text(here.model.bodies[2]), /content of b|both read|"t2"/);
  const uuidOfResult =
      heard.find((message) => message.type === 'user' && message.message.content[0].tool_use_id === 't1').uuid;
  await collect(query({
    prompt: 'go on', options: {...here.options, resume, forkSession: true, resumeSessionAt: uuidOfResult},
  }));
  assert.match(text(here.model.bodies[3]), /content of a.*content of b/s);
  assert.doesNotMatch(text(here.model.bodies[3]), /both read/);
});

test('a point that the session does not have is an error of the query', async (t) => {
  const here = await place(t, [says('one')]);
  const resume = resultOf(await collect(query({prompt: 'first', options: here.options}))).session_id;
  await assert.rejects(
      collect(query({prompt: 'x', options: {...here.options, resume, resumeSessionAt: second}})),
      /has no message/);
  assert.equal(here.model.bodies.length, 1, 'the model was not asked');
});

test('only the turn that was meant is dropped', async (t) => {
  const here = await place(t, [says('one'), says('two'), says('three'), says('four')]);
  const talk = conversation(query, here.options);
  const heard = await talk.say('first question', first);
  await talk.say('second question', second);
  await talk.end();
  const resume = resultOf(heard).session_id;
  const at = heard.find((message) => message.type === 'assistant').uuid;
  const ask = (resumeDropsTurn, resumeSessionAt) => collect(
      query({prompt: 'x', options: {...here.options, resume, forkSession: true, resumeSessionAt, resumeDropsTurn}}));
  await assert.rejects(ask(second, first), /Resume rejected by --resume-drops-turn:/);
  await assert.rejects(ask(first, at), /Resume rejected by --resume-drops-turn:/);
  assert.equal(here.model.bodies.length, 2);
  await ask(second, at);
  assert.deepEqual(questions(here.model.bodies[2]), ['first question', 'x']);
});
