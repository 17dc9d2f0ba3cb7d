import { createHash } from 'node:crypto';

/** The first 16 hexadecimal digits of SHA-256. */
export const hash = (bytes) => createHash('sha256').update(bytes).digest('hex').slice(0, 16);
