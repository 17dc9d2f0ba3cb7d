import { createHash } from 'node:crypto';

import { type Asked, completion, type Reply } from '../../plugins/policy-openai/src/fixtures/chat-server.js';

/** A grade that depends on the question alone: every whole number from 0 to 10 is as likely. */
export function grade({ body }: Asked): Reply {
  const digest = createHash('sha256').update(JSON.stringify(body)).digest();
  const score = digest.readUInt32LE(0) % 11;
  const usage = { prompt_tokens: 50 + (digest[4]! % 10), completion_tokens: 5, total_tokens: 0 };
  const answer = completion(JSON.stringify({ reason: `It is worth ${score}.`, score }), 'stop', usage);
  // Answers come in another order than questions.
  return { ...answer, milliseconds: digest[5]! % 8 };
}
