// Records answers of llama.cpp's server, for the tests of plugins/policy-openai:
//   node test/gguf/record-server.js LLAMA_SERVER MODEL.gguf plugins/policy-openai/src/fixtures/recordings/llama-server
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [program, model, target] = process.argv.slice(2);
const url = 'http://127.0.0.1:18082';
const flags = ['-m', model, '--port', '18082', '-c', '256', '-np', '1', '--no-webui', '--api-key', 'right-key'];
const server = spawn(program, flags, { stdio: 'ignore' });

async function ask(path, body, key = 'right-key') {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const request = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(url + path, request);
  const type = response.headers.get('content-type');
  return { status: response.status, headers: { 'content-type': type }, body: await response.json() };
}

function keep(name, reply) {
  writeFileSync(join(target, `${name}.json`), `${JSON.stringify(reply, undefined, 2)}\n`);
}

function chat(content, more = {}) {
  const messages = [{ role: 'user', content }];
  return { model: 'any', messages, temperature: 0, top_p: 1, seed: 1, max_tokens: 6, ...more };
}

try {
  // The server answers before it has read the model, for a moment.
  for (let isLoaded = false; !isLoaded;) {
    const reply = await ask('/v1/chat/completions', chat('hi')).catch(() => undefined);
    if (reply?.status === 503) keep('loading', reply);
    isLoaded = reply?.status === 200;
  }
  const game = 'Guess my number between 3 and 12. You have 5 turns.';
  keep('models', await ask('/v1/models'));
  keep('chat', await ask('/v1/chat/completions', chat(game, { logprobs: true, top_logprobs: 1 })));
  keep('chat-cut', await ask('/v1/chat/completions', chat(game, { max_tokens: 1 })));
  keep('context-full', await ask('/v1/chat/completions', chat('Guess my number. '.repeat(100))));
  keep('wrong-key', await ask('/v1/chat/completions', chat(game), 'wrong-key'));
  keep('unknown-path', await ask('/v2/chat/completions', chat(game)));
} finally {
  server.kill('SIGKILL');
}
