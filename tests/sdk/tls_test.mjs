// How deft reaches a model: TLS, HTTP/2, proxies. Real servers on loopback, certificates of tests/fixtures/tls.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';

import {calls, says} from './model_server.mjs';

const certificates = process.env.DEFT_CERTIFICATES;
const ca = path.join(certificates, 'ca.pem');
const identity = (name) => ({
  cert: fs.readFileSync(path.join(certificates, `${name}.pem`)),
  key: fs.readFileSync(path.join(certificates, `${name}.key`)),
});

// The n-th request gets the n-th answer, all later ones the last.
function answerer(answers, seen) {
  return (request, response) => {
    request.resume();
    request.on('end', () => {
      if (request.method !== 'POST') return response.writeHead(404).end();
      seen.push({version: request.httpVersion, url: request.url, socket: request.socket});
      response.writeHead(200, {'content-type': 'text/event-stream'});
      response.end(answers[Math.min(seen.length, answers.length) - 1]);
    });
  };
}

async function listen(t, server) {
  const sockets = new Set();
  for (const event of ['connection', 'secureConnection']) {
    server.on(event, (socket) => sockets.add(socket.on('error', () => {})));
  }
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });
  return server.address().port;
}

async function secure(t, name, {answers = [says('done')], create = https.createServer, more = {}} = {}) {
  const seen = [];
  const port = await listen(t, create({...identity(name), ...more}, answerer(answers, seen)));
  return {seen, port, url: `https://127.0.0.1:${port}`};
}

// Forwards whole requests, and opens tunnels.
async function proxy(t) {
  const seen = [];
  const server = http.createServer((request, response) => {
    seen.push(request.url);
    const target = new URL(request.url);
    const onward = http.request({host: '127.0.0.1', port: target.port, path: target.pathname, method: request.method,
                                 headers: request.headers}, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  server.on('connect', (request, client) => {
    seen.push(`CONNECT ${request.url}`);
    const onward = net.connect(Number(request.url.split(':')[1]), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(client).pipe(onward);
    });
    for (const socket of [client, onward]) socket.on('error', () => {});
  });
  return {seen, url: `http://127.0.0.1:${await listen(t, server)}`};
}

async function deft(t, url, environment = {}, more = []) {
  const home = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'deft-tls-'));
  t.after(() => fs.rmSync(home, {recursive: true, force: true}));
  const child = spawn(process.env.DEFT_PROGRAM, ['-p', 'go', '--model', 'm', ...more], {
    cwd: home,
    env: {PATH: process.env.PATH, HOME: home, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'key-of-the-test', ...environment},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = {output: '', errors: ''};
  child.stdout.on('data', (bytes) => (said.output += bytes));
  child.stderr.on('data', (bytes) => (said.errors += bytes));
  said.code = await new Promise((ended) => child.on('close', ended));
  return said;
}

for (const name of ['SSL_CERT_FILE', 'CURL_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS']) {
  test(`a certificate is trusted whose authority ${name} names`, async (t) => {
    const model = await secure(t, 'loopback');
    const said = await deft(t, model.url, {[name]: ca});
    assert.equal(said.output, 'done\n', said.errors);
  });
}

for (const [why, name, environment] of [
  ['nobody vouches for it', 'loopback', {}],
  ['it vouches for itself', 'stranger', {SSL_CERT_FILE: ca}],
  ['it is another host’s', 'elsewhere', {SSL_CERT_FILE: ca}],
  ['it has expired', 'expired', {SSL_CERT_FILE: ca}],
]) {
  test(`a certificate is refused because ${why}, and the server is not asked again`, async (t) => {
    const model = await secure(t, name);
    const said = await deft(t, model.url, {...environment, NODE_TLS_REJECT_UNAUTHORIZED: '0'});
    assert.equal(said.code, 1);
    assert.match(said.errors, /certificate of 127\.0\.0\.1:\d+ is not trusted/);
    assert.doesNotMatch(said.errors, /asking again/);
    assert.equal(model.seen.length, 0);
  });
}

test('HTTP/2 is spoken where the server does, and all requests share one connection', async (t) => {
  const answers = [calls(['t1', 'Glob', {pattern: '*.c'}]), calls(['t2', 'Glob', {pattern: '*.h'}]), says('done')];
  const model = await secure(t, 'loopback', {answers, create: http2.createSecureServer, more: {allowHTTP1: true}});
  const said = await deft(t, model.url, {SSL_CERT_FILE: ca});
  assert.equal(said.output, 'done\n', said.errors);
  assert.deepEqual(model.seen.map((request) => request.version), ['2.0', '2.0', '2.0']);
});

test('HTTP/1.1 keeps its connection for the next request', async (t) => {
  const answers = [calls(['t1', 'Glob', {pattern: '*.c'}]), says('done')];
  const model = await secure(t, 'loopback', {answers});
  const said = await deft(t, model.url, {SSL_CERT_FILE: ca});
  assert.equal(said.output, 'done\n', said.errors);
  assert.equal(model.seen.length, 2);
  assert.equal(model.seen[0].socket, model.seen[1].socket);
});

test('a proxy gives a tunnel for TLS, which stays verified to its end', async (t) => {
  const model = await secure(t, 'loopback');
  const between = await proxy(t);
  const said = await deft(t, model.url, {HTTPS_PROXY: between.url, SSL_CERT_FILE: ca});
  assert.equal(said.output, 'done\n', said.errors);
  assert.ok(between.seen.length > 0 && between.seen.every((line) => line === `CONNECT 127.0.0.1:${model.port}`));
  const refused = await deft(t, model.url, {HTTPS_PROXY: between.url});
  assert.match(refused.errors, /is not trusted/);
});

test('a proxy is asked for plain addresses, and left out where NO_PROXY says so', async (t) => {
  const seen = [];
  const port = await listen(t, http.createServer(answerer([says('done')], seen)));
  const between = await proxy(t);
  const url = `http://127.0.0.1:${port}`;
  assert.equal((await deft(t, url, {HTTP_PROXY: between.url})).output, 'done\n');
  assert.deepEqual(between.seen, [`${url}/v1/messages`]);
  assert.equal((await deft(t, url, {HTTP_PROXY: between.url, NO_PROXY: '127.0.0.1'})).output, 'done\n');
  assert.equal(between.seen.length, 1);
  assert.equal(seen.length, 2);
});
