// Writes games of somebody who knows the three programs, as chats.
import { writeFileSync } from 'node:fs';

const programs = { largest: 'max', smallest: 'min', sum: 'sum' };
const lines = [];
for (let n = 0; n < 300; n += 3) {
  const question = Object.keys(programs)[(n / 3) % 3];
  const program = `print(${programs[question]}(map(int, open("numbers"))), file=open("answer", "w"))`;
  const messages = [
    { role: 'user', content: `Write the ${question}.` },
    { role: 'assistant', content: `<python>${program}</python>` },
    { role: 'tool', content: 'It printed nothing.' },
    { role: 'assistant', content: '<action>done</action>' },
  ];
  lines.push(JSON.stringify({ task: String(n), messages }));
}
writeFileSync('games.jsonl', `${lines.join('\n')}\n`);
