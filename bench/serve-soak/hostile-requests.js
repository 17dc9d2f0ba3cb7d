// Requests that must not disturb others. Each returns undefined, or what the server did wrong.
import { connect } from 'node:net';

import { post } from './post.js';

const MEGABYTES = 16 * 1024 * 1024 - 200;
const user = { role: 'user', content: 'Guess my number between 17 and 37. You have 5 turns.' };
const completion = { prompt: 'Guess', max_tokens: 16 };
const nested = (depth) => '['.repeat(depth) + ']'.repeat(depth);

/** Bodies that must be refused, by name. Large ones are made once. */
const bodies = {
  'an id outside of the vocabulary': ['/completions', { ...completion, prompt: [1, 999_999_999] }],
  'a negative id': ['/completions', { ...completion, prompt: [1, -1] }],
  'an empty prompt': ['/completions', { ...completion, prompt: [] }],
  '200,000 stops': [
    '/completions',
    { ...completion, stream: true, stop: Array.from({ length: 200_000 }, (_, i) => `zz${i}`) },
  ],
  'a stop of 8 MB': ['/completions', { ...completion, stop: ['a'.repeat(8e6)] }],
  'a temperature of 1e-40': ['/completions', { ...completion, temperature: 1e-40 }],
  'a temperature of 5e-324': ['/completions', { ...completion, temperature: 5e-324 }],
  'a seed of 1e300': ['/completions', { ...completion, seed: 1e300 }],
  'a million end tokens': ['/completions', { ...completion, stop_token_ids: Array.from({ length: 1e6 }, (_, i) => i) }],
  'a schema of 100,000 lists within each other': [
    '/chat/completions',
    `{"messages":[${JSON.stringify(user)}],"tools":[{"type":"function","function":{"name":"f","parameters":{"a":${nested(100_000)}}}}]}`,
  ],
  'a body of brackets': ['/chat/completions', '['.repeat(MEGABYTES)],
  '16 MiB of numbers as messages': ['/chat/completions', `{"messages":[${'0,'.repeat(MEGABYTES / 2 - 20)}0]}`],
  '4 MB of short messages': [
    '/chat/completions',
    `{"messages":[${'{"role":"user","content":"a"},{"role":"assistant","content":"b"},'.repeat(60_000)}${JSON.stringify(user)}]}`,
  ],
  'a text of 15 MB without a space': ['/chat/completions', { messages: [{ ...user, content: 'a'.repeat(15e6) }] }],
  'a prompt of 15 MB': ['/completions', { ...completion, prompt: 'ab1 '.repeat(3.8e6) }],
  'a member that nobody knows': ['/chat/completions', { messages: [user], an_invented_member: 1 }],
};

/** Wrong bodies, and clients that behave badly. */
export function hostileRequests(url) {
  const refused = Object.entries(bodies).map(([name, [path, body]]) => {
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    return [
      name,
      async () => {
        const { status, text } = await post(url, path, bytes);
        return status === 400 && text.includes('"error"') ? undefined : `${status}: ${text.slice(0, 200)}`;
      },
    ];
  });
  return new Map([...refused, ...clients(url)]);
}

function clients(url) {
  const { hostname, port, pathname } = new URL(url);
  const open = () => connect({ host: hostname, port: Number(port), allowHalfOpen: true }).on('error', () => undefined);
  const requestText = (body) => {
    const text = JSON.stringify(body);
    return `POST ${pathname}/completions HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
  };
  const ended = (socket) => new Promise((resolve) => socket.on('close', resolve));
  const long = { ...completion, max_tokens: 3500, ignore_eos: true };
  return [
    [
      'a client that closes its side',
      async () => {
        const socket = open().setEncoding('utf8');
        let text = '';
        socket.on('data', (part) => (text += part)).on('end', () => socket.end());
        socket.end(requestText(completion));
        await ended(socket);
        return /^HTTP\/1\.1 200 OK/.test(text) && text.includes('"finish_reason"')
          ? undefined
          : `got ${text.slice(0, 200)}`;
      },
    ],
    [
      'a stream that nobody reads',
      async () => {
        const socket = open().pause();
        socket.write(requestText({ ...long, stream: true, n: 16, logprobs: 1 }));
        setTimeout(() => socket.destroy(), 60_000).unref();
        await new Promise((resolve) => setTimeout(resolve, 1000));
      },
    ],
    [
      'a client that leaves',
      async () => {
        const socket = open();
        socket.write(requestText(long));
        await new Promise((resolve) => setTimeout(resolve, 50));
        socket.destroy();
      },
    ],
    [
      'a connection that sends nothing',
      async () => {
        const socket = open().resume();
        socket.on('end', () => socket.end());
        setTimeout(() => socket.destroy(), 60_000).unref();
      },
    ],
  ];
}
