import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { craftingBook } from './crafting-book.js';
import { recipeTexts } from './data/recipes.js';
import {} from './fixtures/play.js';

describe('the book', () => {
  it('has 612 recipes of 544 goals, 125, 291, 117 and 11 in the four depths, and 676 items', () => {
    expect(recipeTexts).toHaveLength(612);
    expect(craftingBook.items.size).toBe(676);
    const depths = [...craftingBook.recipesOf.keys()].map((goal) => craftingBook.depthOf.get(goal));
    expect([1, 2, 3, 4].map((depth) => depths.filter((value) => value === depth).length)).toEqual([125, 291, 117, 11]);
  });

  it('has the very texts of the original', () => {
    // SHA-256 of the distinct recipe texts recorded from the original, sorted.
    const digest = createHash('sha256')
      .update([...recipeTexts].sort().join('\n'))
      .digest('hex');
    expect(digest).toBe('958f5197c78bcbef9bb60ead7fe97c3ca77e41e77f946910f6544577449ea510');
  });

  it('is what the generator writes', (context) => {
    try {
      createRequire(import.meta.url).resolve('minecraft-data/package.json');
    } catch {
      context.skip('minecraft-data is not installed');
    }
    const script = fileURLToPath(new URL('../scripts/generate-recipes.js', import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
