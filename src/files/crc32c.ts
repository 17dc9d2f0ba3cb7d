/** The Castagnoli polynomial, bits reversed. */
const polynomial = 0x82f63b78;

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
  return value;
});

/** CRC-32C (RFC 3720, appendix B.4), as an unsigned 32-bit number. */
export function crc32c(data: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of data) value = (table[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

/**
 * The checksum of a TFRecord. It is rotated and shifted, because a plain checksum is weak for data that contains
 * checksums (`tensorflow/core/lib/hash/crc32c.h`).
 */
export function maskedCrc32c(data: Uint8Array): number {
  const crc = crc32c(data);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}
