// What deft makes of a model's stream is what the makers' own SDKs make of it.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import test from 'node:test';

import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';

import {apis, randomFrom, randomStream} from './random_streams.mjs';

const first = Number(process.env.DEFT_STREAM_SEED ?? 1);
const count = Number(process.env.DEFT_STREAM_SEED ? 1 : process.env.DEFT_STREAMS_MADE ?? 150);

// A server that sends these bytes in ragged pieces.
const fetchOf = (bytes, seed) => async () => {
  const random = randomFrom(seed);
  const body = new ReadableStream({
    start(out) {
      for (let at = 0; at < bytes.length;) {
        const length = 1 + Math.floor(random() * (random() < 0.25 ? 7 : 900));
        out.enqueue(bytes.subarray(at, at + length));
        at += length;
      }
      out.close();
    },
  });
  return new Response(body, {status: 200, headers: {'content-type': 'text/event-stream'}});
};

function messageOfSdk(api, bytes, seed) {
  const options = {apiKey: 'k', fetch: fetchOf(bytes, seed), maxRetries: 0};
  const messages = [{role: 'user', content: 'x'}];
  switch (api) {
    case 'anthropic':
      return new Anthropic(options).beta.messages.stream({model: 'm', max_tokens: 9, messages}).finalMessage();
    case 'openai_chat': return new OpenAI(options).chat.completions.stream({model: 'm', messages}).finalChatCompletion();
    default: return new OpenAI(options).responses.stream({model: 'm', input: 'x'}).finalResponse();
  }
}

function messageOfDeft(bytes) {
  const run = spawnSync(process.env.DEFT_PROGRAM, ['exec', '--dry-run'], {input: bytes});
  const lines = run.stdout.toString().trim().split('\n').map((line) => JSON.parse(line));
  return lines.find((line) => line.type === 'message') ?? assert.fail(`${run.stdout}${run.stderr}`);
}

// --- both in one form ---

// Half a character has no place in UTF-8. (Debian's Node.js has no toWellFormed().)
const wellFormed = (text) => text.replace(/\p{Surrogate}/gu, '\uFFFD');
const whole = (value) => JSON.parse(JSON.stringify(value), (_, member) => typeof member === 'string' ? wellFormed(member) : member);
const parsed = (text) => text === '' ? {} : JSON.parse(text);

function blocksOfSdk(api, message) {
  if (api === 'anthropic') return message.content;
  if (api === 'openai_chat') {
    const {content, refusal, tool_calls: calls} = message.choices[0].message;
    return [
      ...(content ? [{type: 'text', text: content}] : []),
      ...(refusal ? [{type: 'refusal', refusal}] : []),
      ...(calls ?? []).map((call) => (
        {type: 'tool_use', id: call.id, name: call.function.name, input: parsed(call.function.arguments)})),
    ];
  }
  return message.output.flatMap((item) => {
    switch (item.type) {
      case 'message': return item.content.map(({parsed: _, logprobs: __, ...part}) => part);
      case 'function_call': return [{type: 'tool_use', id: item.call_id, name: item.name, input: parsed(item.arguments)}];
      case 'reasoning': {
        const texts = item.summary.map((part) => part.text);
        return [{type: 'thinking', thinking: texts.join('\n\n'), signature: item.encrypted_content ?? ''}];
      }
      default: return [item];
    }
  });
}

// Chat completions have no order between text, refusal and calls; and thoughts that the SDK does not put together.
const ranks = {text: 0, refusal: 1, tool_use: 2};
function blocksOfDeft(api, message) {
  if (api === 'openai_chat') {
    return message.content.filter((block) => block.type in ranks)
        .map((block, at) => ({block, at}))
        .sort((a, b) => ranks[a.block.type] - ranks[b.block.type] || a.at - b.at)
        .map(({block}) => block);
  }
  if (api === 'anthropic') return message.content;
  return message.content.map((block) => {
    if (block.type === 'text') return {type: 'output_text', text: block.text, annotations: block.annotations ?? []};
    if (block.type === 'thinking') return {type: 'thinking', thinking: block.thinking, signature: block.signature};
    return block;
  });
}

const stopOfSdk = (api, message) => {
  if (api === 'anthropic') return message.stop_reason;
  if (api === 'openai_chat') return message.choices[0].finish_reason;
  return message.incomplete_details?.reason ?? message.status;
};

for (const api of apis) {
  test(`${count} streams of ${api}`, async () => {
    for (let seed = first; seed < first + count; ++seed) {
      const bytes = randomStream(api, seed);
      const theirs = whole(await messageOfSdk(api, bytes, seed));
      const ours = messageOfDeft(bytes);
      const where = `DEFT_STREAM_SEED=${seed}`;
      assert.deepEqual(blocksOfDeft(api, ours), blocksOfSdk(api, theirs), where);
      assert.equal(ours.raw_stop_reason, stopOfSdk(api, theirs), where);
      assert.equal(ours.id, theirs.id, where);
      assert.equal(ours.model, theirs.model, where);
      for (const [counter, value] of Object.entries(theirs.usage ?? {})) {
        if (value !== null) assert.deepEqual(ours.usage?.[counter], value, `${where} ${counter}`);
      }
    }
  });
}
