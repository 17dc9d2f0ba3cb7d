// Writes 4,500 training and 500 test rows: the larger of two numbers. Each pair comes once.
import { mkdirSync, writeFileSync } from 'node:fs';

const rows = { train: [], test: [] };
for (let one = 10; one < 100; one += 1) {
  for (let other = 10; other < 100; other += 1) {
    if (one === other) continue;
    const larger = Math.max(one, other);
    const row = { question: `Which is larger, ${one} or ${other}?`, answer: `${larger} is larger. #### ${larger}` };
    rows[(one * 7 + other) % 10 === 0 ? 'test' : 'train'].push(JSON.stringify(row));
  }
}
mkdirSync('data', { recursive: true });
for (const [part, lines] of Object.entries(rows)) writeFileSync(`data/${part}.jsonl`, `${lines.join('\n')}\n`);
