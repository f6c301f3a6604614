// Streams of the three model APIs, made by chance from a seed: every kind of block, delta and item, cut into pieces
// anywhere (also inside a character), written as event streams in all the ways that readers must understand.

export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const words = [
  'Hello', ' world', 'é', '日本', '😀', '👩‍👩‍👧', '𝒳', '\n', '\r\n', '\t', '"', '\\', '{', '}', '\u2028', ' ', '[DONE]',
  'data: x', '\n\n', '\u0001', 'a'.repeat(50), '\\ud83d', 'null', '\ufeff',
];

class Chance {
  constructor(seed) {
    this.random = randomFrom(seed);
  }
  happens(likelihood) {
    return this.random() < likelihood;
  }
  below(limit) {
    return Math.floor(this.random() * limit);
  }
  oneOf(list) {
    return list[this.below(list.length)];
  }
  with(likelihood, members) {
    return this.happens(likelihood) ? members : {};
  }
  text(most) {
    return Array.from({length: 1 + this.below(most)}, () => this.oneOf(words)).join('');
  }
  // Any cut of the text, empty pieces included.
  pieces(text) {
    const out = [];
    for (let rest = text; rest !== '';) {
      const length = this.happens(0.15) ? 0 : out.length > 6 ? rest.length : 1 + this.below(rest.length);
      out.push(rest.slice(0, length));
      rest = rest.slice(length);
    }
    return out;
  }
  value(depth) {
    switch (this.below(depth > 2 ? 5 : 7)) {
      case 0: return null;
      case 1: return this.happens(0.5);
      case 2: return this.oneOf([0, -1, 1.5, 1e21, 12345678901234, 0.1, 1e-7]);
      case 5: return Array.from({length: this.below(3)}, () => this.value(depth + 1));
      case 6: return this.object(depth + 1);
      default: return this.text(3);
    }
  }
  object(depth = 0) {
    const out = {};
    for (let left = this.below(4); left > 0; --left) out[this.oneOf(['path', 'é', 'x y', 'n', '😀'])] = this.value(depth);
    return out;
  }
  // The same JSON, spelled differently.
  spelled(json) {
    if (!this.happens(0.3)) return json;
    return json.replace(/[\u0080-\uffff]/g, (unit) => {
      const isHalf = unit >= '\ud800' && unit <= '\udfff';
      return isHalf || this.happens(0.5) ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}` : unit;
    });
  }
  json(value) {
    return this.spelled(JSON.stringify(value, null, this.happens(0.1) ? 1 : 0));
  }

  eventStream(events) {
    const end = this.oneOf(['\n', '\n', '\r\n', '\r']);
    const space = this.happens(0.8) ? ' ' : '';
    let out = this.happens(0.1) ? '\ufeff' : '';
    for (const [at, {name, data}] of events.entries()) {
      if (this.happens(0.05)) out += `:${this.oneOf(['', ' keep-alive', 'data: {}'])}${end}${this.happens(0.5) ? end : ''}`;
      if (at > 0 && this.happens(0.03)) out += `${this.oneOf(['retry: 300', 'id: 7', 'unknown: x', 'datax: 1'])}${end}`;
      const text = typeof data === 'string' ? data : this.json(data);
      const lines = text.split('\n').map((line) => `data:${line.startsWith(' ') ? ' ' : space}${line}${end}`).join('');
      const named = name ? `event:${space}${name}${end}` : '';
      out += (this.happens(0.05) ? lines + named : named + lines) + end;
    }
    return Buffer.from(out, 'utf8');
  }
}

// --- Anthropic Messages ---

function anthropicBlock(chance, index) {
  const oneOfServers = () => ({id: `srvtoolu_${index}`, name: chance.oneOf(['web_search', 'web_fetch']), input: {}});
  switch (chance.below(12)) {
    case 0: case 1: case 2: {
      const deltas = chance.pieces(chance.text(8)).flatMap((text) => [
        {type: 'text_delta', text},
        ...(chance.happens(0.1) ? [{type: 'citations_delta', citation: {type: 'char_location', cited_text: chance.text(2)}}] : []),
        ...(chance.happens(0.03) ? [{type: 'new_delta', x: 1}] : []),
      ]);
      return [{type: 'text', text: '', ...chance.with(0.2, {citations: []})}, deltas];
    }
    case 3: case 4: {
      const thoughts = chance.happens(0.8) ? chance.pieces(chance.text(8)) : [];
      const deltas = thoughts.map((thinking) => ({type: 'thinking_delta', thinking, ...chance.with(0.2, {estimated_tokens: 3})}));
      return [{type: 'thinking', thinking: '', signature: ''}, [...deltas, {type: 'signature_delta', signature: 'Sig=='}]];
    }
    case 5: return [{type: 'redacted_thinking', data: 'EnC'}, []];
    case 6: case 7: case 8: {
      const pieces = chance.happens(0.9) ? ['', ...chance.pieces(chance.json(chance.object()))] : [];
      return [
        {type: 'tool_use', id: `toolu_${index}`, name: 'T', input: {}, ...chance.with(0.2, {caller: {type: 'direct'}})},
        pieces.map((partial_json) => ({type: 'input_json_delta', partial_json})),
      ];
    }
    case 9: {
      const pieces = chance.pieces(JSON.stringify(chance.object()));
      return [
        {type: chance.oneOf(['server_tool_use', 'mcp_tool_use']), ...oneOfServers()},
        pieces.map((partial_json) => ({type: 'input_json_delta', partial_json})),
      ];
    }
    case 10:
      return [{type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1',
               content: [{type: 'web_search_result', title: chance.text(2), url: 'http://x/', page_age: null}]}, []];
    default:
      return chance.happens(0.5)
          ? [{type: 'compaction', content: null}, [{type: 'compaction_delta', content: chance.text(4)}]]
          : [{type: 'fallback', from: {model: 'a'}, to: {model: 'claude-b'}}, []];
  }
}

function anthropic(chance) {
  const events = [];
  const add = (type, members) => {
    events.push({name: type, data: {type, ...members}});
    if (chance.happens(0.07)) events.push({name: 'ping', data: {type: 'ping'}});
    if (chance.happens(0.02)) events.push({name: 'something_new', data: {type: 'something_new'}});
  };
  add('message_start', {
    message: {
      id: `msg_${chance.below(1e6)}`, type: 'message', role: 'assistant', model: 'claude-a', content: [], stop_reason: null,
      stop_sequence: null,
      usage: {input_tokens: chance.below(999), output_tokens: 1, cache_read_input_tokens: chance.below(9),
              cache_creation: {ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 0}},
    },
  });
  let hasCall = false;
  for (let index = 0, blocks = chance.below(6); index < blocks; ++index) {
    const [block, deltas] = anthropicBlock(chance, index);
    hasCall ||= block.type === 'tool_use';
    add('content_block_start', {index, content_block: block});
    for (const delta of deltas) add('content_block_delta', {index, delta});
    add('content_block_stop', {index});
  }
  const reasons = ['end_turn', 'max_tokens', 'stop_sequence', 'refusal', 'pause_turn'];
  const reason = hasCall ? 'tool_use' : chance.oneOf(reasons);
  if (chance.happens(0.2)) add('message_delta', {delta: {stop_reason: null, stop_sequence: null}, usage: {output_tokens: 3}});
  add('message_delta', {
    delta: {
      stop_reason: reason, stop_sequence: reason === 'stop_sequence' ? 'STOP' : null,
      ...(reason === 'refusal' ? {stop_details: {type: 'refusal', category: 'cyber', explanation: chance.text(2)}} : {}),
    },
    usage: {
      output_tokens: 5 + chance.below(90), ...chance.with(0.5, {input_tokens: chance.below(999)}),
      ...chance.with(0.3, {cache_read_input_tokens: chance.oneOf([null, 7])}),
      ...chance.with(0.2, {server_tool_use: {web_search_requests: 2}}),
      ...chance.with(0.1, {cache_creation: {ephemeral_5m_input_tokens: 77, ephemeral_1h_input_tokens: 0}}),
    },
  });
  add('message_stop', {});
  return events;
}

// --- chat completions ---

function chatCalls(chance, add) {
  const calls = Array.from({length: 1 + chance.below(4)}, (_, index) => ({
    index, id: `call_${index}`, name: `T${chance.below(4)}`, json: chance.json(chance.object()),
  }));
  const whole = ({index, id, name, json}) => ({index, id, type: 'function', function: {name, arguments: json}});
  if (chance.happens(0.2)) return add({tool_calls: calls.map(whole)});
  const repeats = chance.happens(0.2);
  const queues = calls.map((call) => [
    {...whole(call), function: {name: call.name, arguments: ''}},
    ...chance.pieces(call.json).map((piece) => ({
      index: call.index, ...(repeats ? {id: call.id} : chance.with(0.1, {id: null})),
      function: {...(repeats ? {name: call.name} : {}), arguments: piece},
    })),
  ]);
  const interleaved = chance.happens(0.3);
  if (interleaved) add({tool_calls: queues.map((queue) => queue.shift())});  // they begin in order
  while (queues.some((queue) => queue.length > 0)) {
    const waiting = queues.filter((queue) => queue.length > 0);
    add({tool_calls: [(interleaved ? chance.oneOf(waiting) : waiting[0]).shift()]});
  }
}

function chat(chance) {
  const events = [];
  const base = {id: `chatcmpl-${chance.below(1e6)}`, object: 'chat.completion.chunk', created: 17, model: 'gpt-x'};
  const add = (delta, finish_reason = null) => events.push({
    data: {...base, choices: [{index: 0, delta, finish_reason, ...chance.with(0.3, {logprobs: null})}],
           ...chance.with(0.2, {usage: null})},
  });
  if (chance.happens(0.15)) events.push({data: {...base, choices: [], prompt_filter_results: []}});
  add({role: 'assistant', content: chance.oneOf(['', null])});
  const field = chance.oneOf(['reasoning_content', 'reasoning']);
  if (chance.happens(0.3)) for (const piece of chance.pieces(chance.text(6))) add({[field]: piece, content: null});
  if (chance.happens(0.7)) for (const content of chance.pieces(chance.text(8))) add({content, ...chance.with(0.1, {tool_calls: null})});
  if (chance.happens(0.1)) for (const refusal of chance.pieces(chance.text(5))) add({refusal});
  const hasCalls = chance.happens(0.5);
  if (hasCalls) chatCalls(chance, add);
  if (chance.happens(0.05)) {
    events.push({data: {...base, choices: [{index: 1, delta: {role: 'assistant', content: 'other'}, finish_reason: 'stop'}]}});
  }
  add(chance.oneOf([{}, {content: ''}, {content: null}]), hasCalls ? 'tool_calls' : chance.oneOf(['stop', 'length', 'content_filter']));
  const usage = {prompt_tokens: chance.below(999), completion_tokens: 5, total_tokens: 9};
  if (chance.happens(0.5)) events.push({data: {...base, choices: [], usage}});
  if (chance.happens(0.8)) events.push({data: '[DONE]'});
  return events;
}

// --- Responses ---

function responsesMessage(chance, add, at, item) {
  const content = [];
  for (let part = 0, parts = chance.happens(0.8) ? 1 : chance.below(4); part < parts; ++part) {
    const where = {...at, content_index: part};
    const text = chance.happens(0.9) ? chance.text(8) : '';
    if (chance.happens(0.15)) {
      add('response.content_part.added', {...where, part: {type: 'refusal', refusal: ''}});
      for (const delta of chance.pieces(text)) add('response.refusal.delta', {...where, delta});
      content.push({type: 'refusal', refusal: text});
    } else {
      add('response.content_part.added', {...where, part: {type: 'output_text', annotations: [], text: ''}});
      for (const delta of chance.pieces(text)) add('response.output_text.delta', {...where, delta});
      const annotations = chance.happens(0.2) ? [{type: 'url_citation', url: 'http://x', title: chance.text(1)}] : [];
      annotations.forEach((annotation, index) =>
        add('response.output_text.annotation.added', {...where, annotation_index: index, annotation}));
      add('response.output_text.done', {...where, text});
      content.push({type: 'output_text', annotations, text});
    }
    if (chance.happens(0.9)) add('response.content_part.done', {...where, part: content[part]});
  }
  return {...item, content};
}

function responsesReasoning(chance, add, at, item) {
  const summary = [];
  for (let part = 0, parts = chance.below(3); part < parts; ++part) {
    const where = {...at, summary_index: part};
    const text = chance.text(6);
    add('response.reasoning_summary_part.added', {...where, part: {type: 'summary_text', text: ''}});
    for (const delta of chance.pieces(text)) add('response.reasoning_summary_text.delta', {...where, delta});
    add('response.reasoning_summary_text.done', {...where, text});
    summary.push({type: 'summary_text', text});
    add('response.reasoning_summary_part.done', {...where, part: summary[part]});
  }
  return {...item, summary, ...chance.with(0.5, {encrypted_content: 'sealed'})};
}

// An item with one text that comes in pieces: its own member, and the names of its events.
function responsesPieces(chance, add, at, item, member, event, text) {
  for (const delta of chance.pieces(text)) add(`${event}.delta`, {...at, delta});
  add(`${event}.done`, {...at, [member]: text});
  return {...item, [member]: text};
}

function responsesItem(chance, add, index) {
  const id = `item_${index}`;
  const at = {item_id: id, output_index: index};
  const begin = (item) => {
    add('response.output_item.added', {output_index: index, item: {id, status: 'in_progress', ...item}});
    return {id, status: 'completed', ...item};
  };
  switch (chance.below(8)) {
    case 0: case 1: return responsesMessage(chance, add, at, begin({type: 'message', role: 'assistant', content: []}));
    case 2: return responsesReasoning(chance, add, at, begin({type: 'reasoning', summary: []}));
    case 3: case 4: {
      const call = begin({type: 'function_call', call_id: `call_${index}`, name: 'T', arguments: ''});
      return responsesPieces(chance, add, at, call, 'arguments', 'response.function_call_arguments', chance.json(chance.object()));
    }
    case 5: {
      const call = begin({type: 'custom_tool_call', call_id: `call_${index}`, name: 'C', input: ''});
      return responsesPieces(chance, add, at, call, 'input', 'response.custom_tool_call_input', chance.text(4));
    }
    case 6: {
      const call = begin({type: 'code_interpreter_call', code: '', container_id: 'c', outputs: null});
      return responsesPieces(chance, add, at, call, 'code', 'response.code_interpreter_call_code', chance.text(4));
    }
    default: {
      const search = begin({type: 'web_search_call'});
      for (const step of ['in_progress', 'searching', 'completed']) add(`response.web_search_call.${step}`, at);
      return {...search, action: {type: 'search', query: chance.text(2)}};
    }
  }
}

function responses(chance) {
  const events = [];
  const add = (type, members) => events.push({name: type, data: {type, sequence_number: events.length, ...members}});
  const head = {
    id: `resp_${chance.below(1e6)}`, object: 'response', created_at: 1, status: 'in_progress', error: null,
    incomplete_details: null, model: 'gpt-x', output: [], usage: null, parallel_tool_calls: true, tools: [],
  };
  add('response.created', {response: head});
  if (chance.happens(0.9)) add('response.in_progress', {response: head});
  const output = [];
  for (let index = 0, items = chance.below(6); index < items; ++index) {
    const item = responsesItem(chance, add, index);
    output.push(item);
    add('response.output_item.done', {output_index: index, item});
  }
  const status = chance.happens(0.9) ? 'completed' : 'incomplete';
  const incomplete_details = status === 'completed' ? null : {reason: 'max_output_tokens'};
  const usage = {input_tokens: chance.below(99), output_tokens: chance.below(99), total_tokens: 9};
  add(`response.${status}`, {response: {...head, status, output, usage, incomplete_details}});
  return events;
}

const makers = {anthropic, openai_chat: chat, openai_responses: responses};
export const apis = Object.keys(makers);

// The bytes of one stream.
export function randomStream(api, seed) {
  const chance = new Chance(seed);
  return chance.eventStream(makers[api](chance));
}
