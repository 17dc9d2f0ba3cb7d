import { post } from './post.js';

/** Requests whose answers do not depend on anything else: at temperature 0, or with a seed. */
export function honestRequests() {
  const question = (low) => `Guess my number between ${low} and ${low + 20}. You have 5 turns.`;
  const details = { return_token_ids: true, logprobs: 1 };
  const chat = (low, more) => ['/chat/completions', { messages: [{ role: 'user', content: question(low) }], ...more }];
  const text = (more) => ['/completions', { ...details, ignore_eos: true, ...more }];
  const several = Array.from({ length: 8 }, (_, index) => [
    chat(10 + index, { temperature: 0, return_token_ids: true, logprobs: true }),
    chat(10 + index, { seed: index, n: 2, stream: true, max_tokens: 30 }),
    text({ prompt: question(20 + index), seed: index, max_tokens: 100 }),
    text({ prompt: question(20 + index), seed: index, stream: true, max_tokens: 40, top_p: 0.9 }),
  ]);
  return [...several.flat(), text({ prompt: [question(1), [1, 2, 3], 'no'], temperature: 0, max_tokens: 20 })].map(
    ([path, body]) => ({ path, bytes: Buffer.from(JSON.stringify(body)) }),
  );
}

/** The answer to such a request, without what differs each time. Throws if it is refused. */
export async function answerTo(url, { path, bytes }) {
  const { status, text } = await post(url, path, bytes);
  if (status !== 200) throw new Error(`${status}: ${text.slice(0, 200)}`);
  if (!text.startsWith('data: ')) return JSON.stringify(JSON.parse(text).choices);
  // Parts of a stream are joined: where a text is divided depends on nothing that counts.
  const events = text.split('\n\n').filter((event) => event !== '');
  if (events.pop() !== 'data: [DONE]') throw new Error(`the stream ended with ${text.slice(-200)}`);
  const texts = {};
  for (const event of events) {
    for (const { delta, finish_reason: reason, index, text: part, token_ids: ids } of JSON.parse(event.slice(6))
      .choices) {
      const own = (texts[index] ??= { text: '', ids: [] });
      own.text += part ?? delta?.content ?? '';
      own.ids.push(...(ids ?? []));
      if (reason !== null) own.reason = reason;
    }
  }
  return JSON.stringify(texts);
}
