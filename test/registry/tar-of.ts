/** A tar archive with exactly these paths, including those that no correct program would write. */
export function tarOf(files: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const blocks = Object.entries(files).flatMap(([path, content]) => {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const header = Buffer.alloc(512);
    const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;
    header.write(path, 0);
    header.write(octal(0o644, 8), 100);
    header.write(octal(0, 8) + octal(0, 8) + octal(bytes.length, 12) + octal(0, 12), 108);
    header.write(' '.repeat(8) + '0', 148);
    header.write('ustar\x0000', 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${octal(sum, 7)} `, 148);
    const body = Buffer.alloc(Math.ceil(bytes.length / 512) * 512);
    body.set(bytes);
    return [header, body];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}
