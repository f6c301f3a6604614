// A model on loopback that streams what a test scripts: the n-th request gets the n-th answer, all later ones the last.
import http from 'node:http';

const event = (json) => `event: ${json.type}\ndata: ${JSON.stringify(json)}\n\n`;

const message = (blocks, reason) => {
  let stream = event({
    type: 'message_start',
    message: {id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage: {input_tokens: 10}},
  });
  blocks.forEach((block, index) => {
    const isText = block.type === 'text';
    stream += event({
      type: 'content_block_start',
      index,
      content_block: isText ? {type: 'text', text: ''} : {...block, input: {}},
    });
    stream += event({
      type: 'content_block_delta',
      index,
      delta: isText ? {type: 'text_delta', text: block.text}
                    : {type: 'input_json_delta', partial_json: JSON.stringify(block.input)},
    });
    stream += event({type: 'content_block_stop', index});
  });
  return stream + event({type: 'message_delta', delta: {stop_reason: reason}, usage: {output_tokens: 5}}) +
      event({type: 'message_stop'});
};

export const says = (text) => message([{type: 'text', text}], 'end_turn');
export const calls = (...uses) =>
    message(uses.map(([id, name, input]) => ({type: 'tool_use', id, name, input})), 'tool_use');

export async function serve(answers) {
  const bodies = [];
  const server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (bytes) => (body += bytes));
    request.on('end', () => {
      if (request.method !== 'POST') return response.writeHead(404).end();
      bodies.push(JSON.parse(body));
      response.writeHead(200, {'content-type': 'text/event-stream'});
      response.end(answers[Math.min(bodies.length, answers.length) - 1]);
    });
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    bodies,
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
