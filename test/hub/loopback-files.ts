import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { type Zippable, zipSync } from 'fflate';

export const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

/** A server of files, with ranges and ETags, that is also an index of Python packages: /simple/NAME/. */
export async function startFiles() {
  const files = new Map<string, Buffer>();
  const requests: { readonly path: string; readonly range?: string; readonly status: number }[] = [];
  const state = {
    /** An answer breaks off after so many bytes. */
    breaksAfter: Infinity,
    hasTags: true,
    /** Files are refused without a name and a password. */
    needsKey: false,
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://host');
    const [, name] = /^\/simple\/([^/]+)\/$/.exec(pathname) ?? [];
    if (name !== undefined) {
      const links = [...files].filter(([path]) => path.startsWith(`/${name.replaceAll('-', '_')}-`));
      const page = links.map(([path, content]) => `<a href="${path}#sha256=${sha256(content)}">${path.slice(1)}</a>`);
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<!DOCTYPE html><html><body>${page.join('\n')}</body></html>`);
      return;
    }
    const content = files.get(pathname);
    const { range } = request.headers;
    const tag = `"${content && sha256(content).slice(0, 8)}"`;
    const isSame = request.headers['if-range'] === undefined || request.headers['if-range'] === tag;
    const [, from, to] = (isSame && /^bytes=(\d+)-(\d*)$/.exec(range ?? '')) || [];
    const isRefused = state.needsKey && request.headers.authorization === undefined;
    const status = isRefused ? 401 : content === undefined ? 404 : from === undefined ? 200 : 206;
    requests.push({ path: pathname, status, ...(range !== undefined && { range }) });
    if (status >= 400) return void response.writeHead(status).end();
    const [first, last] = [Number(from ?? 0), to ? Number(to) : content!.length - 1];
    const part = content!.subarray(first, last + 1);
    response.writeHead(status, {
      'content-length': part.length,
      ...(state.hasTags && { etag: tag }),
      ...(status === 206 && { 'content-range': `bytes ${first}-${last}/${content!.length}` }),
    });
    if (part.length <= state.breaksAfter) return void response.end(part);
    response.write(part.subarray(0, state.breaksAfter), () => setTimeout(() => response.destroy(), 20));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { address, close, files, requests, state };
}

/** A wheel with these files, and a RECORD of them. */
export function wheelOf(name: string, files: { readonly [path: string]: Uint8Array }, changes: Zippable = {}): Buffer {
  const info = `${name.replaceAll('-', '_')}-1.0.dist-info`;
  const whole: { [path: string]: Uint8Array } = {
    ...files,
    [`${info}/METADATA`]: Buffer.from(`Metadata-Version: 2.1\nName: ${name}\nVersion: 1.0\n`),
    [`${info}/WHEEL`]: Buffer.from('Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n'),
  };
  const record = Object.entries(whole).map(([path, content]) => {
    const quoted = path.includes(',') ? `"${path}"` : path;
    return `${quoted},sha256=${createHash('sha256').update(content).digest('base64url')},${content.length}`;
  });
  whole[`${info}/RECORD`] = Buffer.from(`${record.join('\n')}\n${info}/RECORD,,\n`);
  return Buffer.from(zipSync({ ...whole, ...changes }));
}
