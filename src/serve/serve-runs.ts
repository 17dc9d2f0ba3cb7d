import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { dirname, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

import { AgentgymError } from '../errors/agentgym-error.js';
import { messageOf } from '../errors/message-of.js';
import { shellWord } from '../errors/shell-word.js';
import type { RunsListing, SystemLoad } from '../reporting/live-data.js';
import { renderLivePage } from '../reporting/render-live-page.js';
import type { ReportRequest } from '../reports/report-runs.js';
import { manifestPath } from '../runs/run-manifest.js';
import { EventStream } from './event-stream.js';
import { Followed } from './followed.js';
import { type Guard, refusalOf, refuseGuessable } from './guard-request.js';
import { addressFor, listen } from './listen.js';
import { ReportFeeds, type ReportState } from './report-feed.js';
import { ReportUpdates } from './report-update.js';
import { RunsFolder } from './runs-folder.js';
import { LoadSampler } from './system-load.js';

export interface ServeRequest extends Pick<ReportRequest, 'remark'> {
  /** The folder of runs; it may not exist yet. */
  readonly folder: string;
  /** 0: any free port. */
  readonly port: number;
  /** Address or name to listen on. */
  readonly host: string;
  /** Version of this tool. */
  readonly version: string;
  /** The token that every request must have; absent: a new one. */
  readonly token?: string;
}

export interface RunServer {
  /** Includes the token: anyone with this address may read. */
  readonly url: string;
  /** The folder. */
  readonly runs: string;
  /** Current counts: open event streams, and the runs that are read for them. */
  readonly followed: { readonly streams: number; readonly runs: number };
  /** Ends every connection and stops listening. */
  close(): Promise<void>;
}

/** Maximum number of open pages; further ones get status 503. */
const mostStreams = 100;
/** Maximum number of runs side by side: more colours cannot be distinguished. */
const mostCompared = 24;

/**
 * Serves the pages of a folder of runs, which follow the runs live. It writes nothing. Throws AG_SERVE_FAILED if it
 * cannot listen.
 */
export async function serveRuns(request: ServeRequest): Promise<RunServer> {
  const folder = resolve(request.folder);
  refuseRun(folder);
  refuseGuessable('token', request.token, 'Set AGENTGYM_UI_TOKEN to 16 random characters or more, or leave it unset.');
  const guard: Guard = { host: request.host, token: request.token ?? randomBytes(24).toString('base64url') };
  const site = new Site(new RunsFolder(folder, request.version), request);
  // Idle connections are closed early, to free their places.
  const limits = {
    maxHeaderSize: 16_384,
    headersTimeout: 3000,
    requestTimeout: 5000,
    connectionsCheckingInterval: 500,
  };
  const server = createServer(limits, (incoming, response) => {
    answer(site, guard, incoming, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else plain(response, 500, messageOf(error));
    });
  });
  server.maxConnections = 4 * mostStreams;
  const port = await listen(server, request);
  return {
    url: `${addressFor(request.host, port)}/?token=${encodeURIComponent(guard.token)}`,
    runs: folder,
    get followed() {
      return { streams: site.streams.size, runs: site.feeds.followed };
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        for (const stream of [...site.streams]) stream.end();
        server.closeAllConnections();
      }),
  };
}

/** The handlers of addresses. */
class Site {
  readonly streams = new Set<EventStream>();
  readonly feeds: ReportFeeds;
  readonly listing: Followed<RunsListing>;
  readonly #sampler = new LoadSampler();
  /** Sampled once for all pages. */
  readonly load: Followed<SystemLoad>;

  constructor(
    readonly folder: RunsFolder,
    request: ServeRequest,
  ) {
    this.feeds = new ReportFeeds(request);
    this.listing = new Followed({ every: 1000, read: () => folder.list() });
    this.load = new Followed({ every: 2000, read: () => Promise.resolve(this.#sampler.sample(folder.running)) });
  }
}

/** Sends a page what its address names, until the returned function is called. */
type Follow = (page: EventStream) => () => void;

async function answer(site: Site, guard: Guard, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const address = addressOf(request);
  if (address === undefined) return plain(response, 400, 'This address does not exist.');
  const refusal = refusalOf(request, address, guard);
  if (refusal !== undefined) return plain(response, refusal.status, refusal.reason);
  const events = /^\/events(\/.*)$/.exec(address.pathname)?.[1];
  const follow = await followerOf(site, events ?? address.pathname, address.searchParams);
  if (follow === undefined) return plain(response, 404, 'The run or page does not exist.');
  if (events === undefined) return page(request, response);
  if (site.streams.size >= mostStreams) return plain(response, 503, `More than ${mostStreams} pages are open.`);
  stream(site, follow, request, response);
}

async function followerOf(site: Site, path: string, search: URLSearchParams): Promise<Follow | undefined> {
  const { folder, feeds } = site;
  if (path === '/') return (page) => show(page, 'runs', site.listing);
  const [, kind, key] = /^\/(runs|ablations)\/([^/]+)$/.exec(path) ?? [];
  if (kind === 'ablations') {
    const ablation = await folder.find('ablation', decodeURIComponent(key!));
    return ablation === undefined ? undefined : (page) => showReport(page, feeds.ofAblation(ablation));
  }
  const keys = kind === 'runs' ? [decodeURIComponent(key!)] : path === '/compare' ? search.getAll('run') : [];
  if (keys.length === 0 || keys.length > mostCompared) return undefined;
  const found = await Promise.all([...new Set(keys)].map((one) => folder.find('run', one)));
  const folders = found.filter((directory) => directory !== undefined);
  return folders.length < found.length ? undefined : (page) => showReport(page, feeds.ofRuns(folders));
}

function stream(site: Site, follow: Follow, request: IncomingMessage, response: ServerResponse): void {
  const page = new EventStream(request, response, headers);
  site.streams.add(page);
  const left = [follow(page), show(page, 'load', site.load)];
  response.on('close', () => {
    site.streams.delete(page);
    for (const leave of left) leave();
  });
}

/** Sends each value of something that is followed as an event, and errors as `problem`. */
function show<Value>(
  page: EventStream,
  event: string,
  followed: Followed<Value>,
  write: (value: Value) => string = (value) => JSON.stringify(value),
): () => void {
  return followed.listen({
    update: (value) => page.send(event, () => write(value)),
    problem: (error) => page.send('problem', () => JSON.stringify({ message: messageOf(error) })),
  });
}

function showReport(page: EventStream, report: Followed<ReportState>): () => void {
  const updates = new ReportUpdates();
  return show(page, 'report', report, (state) => updates.write(state));
}

/** Headers of every response. */
const headers = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
} as const;

async function page(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { html, policy } = await renderLivePage();
  const isCompressed = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    ...(isCompressed && { 'content-encoding': 'gzip' }),
  });
  response.end(isCompressed ? gzipSync(html) : html);
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { ...headers, 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  response.end(`${text}\n`);
}

function addressOf(request: IncomingMessage): URL | undefined {
  try {
    const address = new URL(request.url ?? '', 'http://localhost');
    // A path that cannot be decoded is not valid either.
    decodeURIComponent(address.pathname);
    return address;
  } catch {
    return undefined;
  }
}

function refuseRun(folder: string): void {
  if (!existsSync(manifestPath(folder))) return;
  throw new AgentgymError('AG_SERVE_FAILED', {
    message: `${folder} is one run; \`agentgym ui\` serves a folder of runs.`,
    hint: `\`agentgym ui --runs ${shellWord(dirname(folder))}\` shows it together with the runs next to it.`,
    file: folder,
  });
}
