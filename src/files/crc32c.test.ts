import { expect, it } from 'vitest';

import { crc32c } from './crc32c.js';

it('agrees with the test vectors of RFC 3720, appendix B.4, and the check value of the polynomial', () => {
  const ascending = Uint8Array.from({ length: 32 }, (_, i) => i);
  expect(crc32c(new Uint8Array(32)).toString(16)).toBe('8a9136aa');
  expect(crc32c(new Uint8Array(32).fill(0xff)).toString(16)).toBe('62a8ab43');
  expect(crc32c(ascending).toString(16)).toBe('46dd794e');
  expect(crc32c(ascending.reverse()).toString(16)).toBe('113fdb5c');
  expect(crc32c(Buffer.from('123456789')).toString(16)).toBe('e3069283');
});
