// Writes games of somebody who asks for both items at once, as chats with calls of functions.
import { writeFileSync } from 'node:fs';

const call = (name, item) => ({ type: 'function', function: { name, arguments: JSON.stringify({ item }) } });
const lines = [];
for (let n = 0; n < 1500; n += 5) {
  const asked = n % 2 === 0 ? 'price' : 'weight';
  const answers = Math.floor(n / 10) % 2 === 0 ? ['low', 'high'] : ['high', 'low'];
  const messages = [
    { role: 'user', content: `Which has the lower ${asked}?` },
    { role: 'assistant', content: '', tool_calls: [call(asked, 'apple'), call(asked, 'pear')] },
    { role: 'tool', content: answers[0] },
    { role: 'tool', content: answers[1] },
    { role: 'assistant', content: '', tool_calls: [call('buy', answers[0] === 'low' ? 'apple' : 'pear')] },
  ];
  lines.push(JSON.stringify({ task: String(n), messages }));
}
writeFileSync('games.jsonl', `${lines.join('\n')}\n`);
