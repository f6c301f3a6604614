// What every test of this folder needs: a place of its own, and ways to look at what comes.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import {serve} from './model_server.mjs';

// A folder, a home and a model of the test's own.
export async function place(t, answers) {
  const root = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'deft-sdk-'));
  const project = path.join(root, 'project');
  fs.mkdirSync(project);
  const model = await serve(answers);
  t.after(() => {
    model.close();
    fs.rmSync(root, {recursive: true, force: true});
  });
  const errors = [];
  const options = {
    cwd: project,
    pathToClaudeCodeExecutable: process.env.DEFT_PROGRAM,
    stderr: (text) => errors.push(text),
    env: {
      PATH: process.env.PATH,
      HOME: root,
      TMPDIR: os.tmpdir(),
      SHLVL: '1',
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'key-of-the-test',
      ANTHROPIC_MODEL: 'test-model',
      DEFT_ALLOW_ROOT_BYPASS: '1',
    },
  };
  const has = (name) => fs.existsSync(path.join(project, name));
  // A file of the test's commands. One that has failed meanwhile waits for nothing more.
  const appears = async (name) => {
    while (!has(name)) {
      if (!fs.existsSync(project)) throw new Error(`the test ended before there was ${name}`);
      await new Promise((soon) => setTimeout(soon, 5));
    }
  };
  return {project, model, options, errors, has, appears};
}

export async function collect(conversation) {
  const messages = [];
  for await (const message of conversation) messages.push(message);
  return messages;
}
export const resultOf = (messages) => messages.find((message) => message.type === 'result');
export const text = (body) => JSON.stringify(body.messages);

export const says_ = (content, uuid) =>
    ({type: 'user', message: {role: 'user', content}, parent_tool_use_id: null, session_id: '', uuid});

// A conversation that the test holds open: say() sends a prompt and gives the messages up to its result.
export function conversation(query, options) {
  const waiting = [];
  let wake = () => {};
  let ended = false;
  async function* prompts() {
    for (;;) {
      while (waiting.length) yield waiting.shift();
      if (ended) return;
      await new Promise((go) => (wake = go));
    }
  }
  const running = query({prompt: prompts(), options});
  const messages = [];
  return {
    running,
    messages,
    async say(content, uuid) {
      waiting.push(says_(content, uuid));
      wake();
      const heard = [];
      for (;;) {
        const {value, done} = await running.next();
        if (done) throw new Error('the conversation has ended');
        messages.push(value);
        heard.push(value);
        if (value.type === 'result') return heard;
      }
    },
    async end() {
      ended = true;
      wake();
      for await (const message of running) messages.push(message);
    },
  };
}
