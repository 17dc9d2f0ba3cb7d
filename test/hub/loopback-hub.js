// A model hub on this machine, for tests: the parts of the hub's API that pull and push use. Large files are on a second
// server with another port, as on the hub, where redirects lead to another host. Faults are injected by request.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const pageLength = 4;
const isLarge = (path) => path.endsWith('.safetensors');
const sha256 = (content) => createHash('sha256').update(content).digest('hex');
const gitBlob = (content) => createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');

/** Starts both servers. See loopback-hub.d.ts. */
export async function startHub({ bytesPerSecond = Infinity } = {}) {
  const hub = { repositories: new Map(), faults: [], requests: [], created: [], commits: [], uploads: new Map() };
  const large = new Map();
  const record = (server, request) => {
    const { method, url, headers } = request;
    hub.requests.push({ server, method, url, authorization: headers.authorization, range: headers.range });
  };
  /** The first fault for this address that is not used up. */
  const faultOf = (url) => {
    const fault = hub.faults.find(({ match, times }) => times > 0 && match.test(url));
    if (fault !== undefined) fault.times -= 1;
    return fault;
  };

  const store = createServer(async (request, response) => {
    record('store', request);
    const fault = faultOf(request.url);
    if (refuse(fault, response)) return;
    const oid = request.url.split('/').at(-1);
    if (request.method === 'PUT') {
      hub.uploads.set(oid, await bodyOf(request));
      return response.end();
    }
    await sendFile(request, response, large.get(oid), fault, bytesPerSecond);
  });
  const front = createServer(async (request, response) => {
    record('hub', request);
    const fault = faultOf(request.url);
    if (refuse(fault, response)) return;
    const address = new URL(request.url, 'http://hub');
    if (request.method === 'POST') return post(hub, address.pathname, request, response, `${urlOf(store)}/upload`);
    const [, name, action, revision, path] =
      /^\/(?:api\/models\/)?([\w.-]+\/[\w.-]+)\/(revision|tree|resolve)\/([^/]+)(?:\/(.+))?$/.exec(address.pathname) ??
      [];
    const repository = hub.repositories.get(name);
    if (repository === undefined) return json(response, 404, { error: 'Repository not found' });
    const { token, commit, files, license } = repository;
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
      return json(response, 401, { error: 'Access to this model is restricted' });
    }
    if (!['HEAD', 'main', commit].includes(revision)) return json(response, 404, { error: 'Invalid rev id' });
    if (action === 'revision') {
      const dates = { lastModified: '2026-01-01T00:00:00.000Z', createdAt: '2026-01-01T00:00:00.000Z' };
      const about = { _id: '1', id: name, private: token !== undefined, gated: false, downloads: 0, likes: 0 };
      return json(response, 200, { ...about, ...dates, sha: commit, cardData: license ? { license } : {} });
    }
    if (action === 'tree') return sendTree(address, response, files, urlOf(front));
    const content = files[path];
    if (content === undefined) return json(response, 404, { error: 'Entry not found' });
    if (!isLarge(path)) return sendFile(request, response, content, fault, bytesPerSecond);
    large.set(sha256(content), content);
    response.writeHead(302, { location: `${urlOf(store)}/${sha256(content)}` }).end();
  });
  await Promise.all([store, front].map((server) => new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))));
  return Object.assign(hub, {
    endpoint: urlOf(front),
    add: (name, files, about = {}) =>
      hub.repositories.set(name, {
        files,
        commit: createHash('sha1').update(JSON.stringify(files)).digest('hex'),
        ...about,
      }),
    close: () => Promise.all([store, front].map((server) => (server.closeAllConnections(), server.close()))),
  });
}

function urlOf(server) {
  return `http://127.0.0.1:${server.address().port}`;
}

function refuse(fault, response) {
  if (fault?.status === undefined) return false;
  response.writeHead(fault.status, { 'retry-after': '0', ...fault.headers }).end('{}');
  return true;
}

function sendTree(address, response, files, own) {
  const from = Number(address.searchParams.get('cursor') ?? 0);
  const entries = Object.entries(files).map(([path, content]) => {
    const oid = gitBlob(content);
    const lfs = isLarge(path) ? { lfs: { oid: sha256(content), size: content.length, pointerSize: 134 } } : {};
    return { type: 'file', path, size: content.length, oid, ...lfs };
  });
  const page = entries.slice(from, from + pageLength);
  address.searchParams.set('cursor', String(from + pageLength));
  const next = `<${own}${address.pathname}${address.search}>; rel="next"`;
  json(response, 200, page, from + pageLength < entries.length ? { link: next } : {});
}

async function sendFile(request, response, content, fault, bytesPerSecond) {
  if (content === undefined) return json(response, 404, {});
  const from = fault?.kind === 'no-ranges' ? 0 : Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  if (from >= content.length && content.length > 0) return response.writeHead(416).end();
  const body = Buffer.from(content.subarray(from));
  if (fault?.kind === 'damage') body[body.length - 1] ^= 1;
  const range = from > 0 ? { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` } : {};
  response.writeHead(from > 0 ? 206 : 200, { 'content-length': body.length, etag: `"${sha256(content)}"`, ...range });
  const end = fault?.bytes ?? body.length;
  const piece = Math.min(end, Math.max(1, Math.min(2 ** 16, Math.ceil(bytesPerSecond / 50))));
  for (let done = 0; done < end && !response.destroyed; done += piece) {
    response.write(body.subarray(done, Math.min(end, done + piece)));
    if (bytesPerSecond !== Infinity) await sleep((1000 * piece) / bytesPerSecond);
  }
  // Bytes must arrive before the connection breaks.
  if (fault?.kind === 'cut') return setTimeout(() => response.destroy(), 20);
  if (fault?.kind !== 'stall') response.end();
}

async function post(hub, path, request, response, upload) {
  const body = (await bodyOf(request)).toString();
  const token = request.headers.authorization;
  if (!token?.startsWith('Bearer hf_write')) return json(response, 403, { error: 'Forbidden' });
  if (path === '/api/repos/create') {
    const { name, organization, ...rest } = JSON.parse(body);
    const id = `${organization}/${name}`;
    if (hub.created.some((created) => created.id === id)) return json(response, 409, { error: 'Already exists' });
    hub.created.push({ id, ...rest });
    return json(response, 200, { url: `/${id}`, id });
  }
  if (/\/preupload\/main$/.test(path)) {
    const files = JSON.parse(body).files.map(({ path: name }) => ({
      path: name,
      uploadMode: isLarge(name) ? 'lfs' : 'regular',
    }));
    return json(response, 200, { files });
  }
  if (/\.git\/info\/lfs\/objects\/batch$/.test(path)) {
    const objects = JSON.parse(body).objects.map(({ oid, size }) => {
      return { oid, size, actions: { upload: { href: `${upload}/${oid}`, header: {} } } };
    });
    return json(response, 200, { transfer: 'basic', objects });
  }
  if (/\/commit\/main$/.test(path)) {
    const lines = body.split('\n').map((line) => JSON.parse(line));
    const files = {};
    for (const { key, value } of lines) {
      if (key === 'file') files[value.path] = Buffer.from(value.content, 'base64');
      if (key === 'lfsFile') files[value.path] = hub.uploads.get(value.oid);
    }
    hub.commits.push({ model: path.split('/').slice(3, 5).join('/'), files });
    return json(response, 200, { commitOid: 'c0ffee', commitUrl: 'url', hookOutput: '' });
  }
  json(response, 404, {});
}

function json(response, status, document, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(document));
}

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}
