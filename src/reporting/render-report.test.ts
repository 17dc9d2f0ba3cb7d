import { expect, it } from 'vitest';

import { inertJson } from './render-report.js';

// Goes red when any of these signs is not escaped.
it('writes JSON that ends no script block and reads back the same', () => {
  const text = '</script><!--<script>\u2028\u2029 ]]> \ud800 \u0000 "quoted"';
  const json = inertJson({ text });
  expect(json).not.toMatch(/[<\u2028\u2029]/);
  expect(JSON.parse(json)).toEqual({ text });
});
