import type { JsonPlace } from '../contracts/wire.js';
import { openJson } from '../transfers/open-json.js';
import { transferRefusal } from '../transfers/transfer-errors.js';
import { hubFault, type HubAccess, hubFetch } from './hub-access.js';

/** A model at one commit. */
export interface HubModel {
  /** In hexadecimal. */
  readonly commit: string;
  /** As the hub names it. */
  readonly license?: string | undefined;
  readonly entries: readonly HubEntry[];
}

/** A file at the top of a repository. */
export interface HubEntry {
  readonly path: string;
  readonly bytes: number;
  /** SHA-1 of the git object, in hexadecimal. */
  readonly oid?: string | undefined;
  /** SHA-256 of a large file, in hexadecimal. */
  readonly sha256?: string | undefined;
}

const mostEntries = 100_000;
/** Larger than every file: 1 PiB. */
const mostBytes = 2 ** 50;
const longestLicense = 200;

/**
 * Asks the hub for a commit of a model, and lists its files (https://huggingface.co/.well-known/openapi.md).
 *
 * @throws AgentgymError AG_TRANSFER_FAILED with the member that is wrong, and the codes of `transferRefusal`
 */
export async function listModel(hub: HubAccess, model: string, revision = 'HEAD'): Promise<HubModel> {
  const address = `${hub.endpoint}/api/models/${model}`;
  const about = await askHub(hub, `${address}/revision/${encodeURIComponent(revision)}?expand=sha&expand=cardData`);
  const commit = hexadecimal(about.document.member('sha'), 7, 64);
  const card = about.document.member('cardData');
  const license = card.isAbsent ? undefined : card.member('license').value;
  const entries: HubEntry[] = [];
  let next: string | undefined = `${address}/tree/${commit}?recursive=false&expand=false`;
  while (next !== undefined) {
    const page = await askHub(hub, next);
    for (const entry of page.document.items()) {
      const file = readEntry(entry);
      if (file !== undefined) entries.push(file);
    }
    if (entries.length > mostEntries) page.document.fail(`more than ${mostEntries} files`);
    next = page.next;
  }
  return { commit, entries, license: isLicense(license) ? license : undefined };
}

interface HubPage {
  readonly document: JsonPlace;
  /** The address of the next page. */
  readonly next: string | undefined;
}

async function askHub(hub: HubAccess, url: string): Promise<HubPage> {
  const headers = {
    accept: 'application/json',
    ...(hub.token !== undefined && { authorization: `Bearer ${hub.token}` }),
  };
  const response = await hubFetch(hub, url, { headers });
  if (!response.ok) throw transferRefusal(url, response.status);
  const document = openJson(await response.text(), (problem) => hubFault(url, problem));
  const [, next] = /<(https?:\/\/[^>]+)>;\s*rel="?next"?/i.exec(response.headers.get('link') ?? '') ?? [];
  return { document, next };
}

/** Undefined for a folder. */
function readEntry(entry: JsonPlace): HubEntry | undefined {
  if (entry.member('type').text() !== 'file') return undefined;
  const [path, oid, lfs] = [entry.member('path').text(), entry.member('oid'), entry.member('lfs')];
  const bytes = (lfs.isAbsent ? entry : lfs).member('size').integer(0, mostBytes);
  return {
    path,
    bytes,
    oid: oid.isAbsent ? undefined : hexadecimal(oid, 40, 64),
    sha256: lfs.isAbsent ? undefined : hexadecimal(lfs.member('oid'), 64, 64),
  };
}

function hexadecimal(place: JsonPlace, least: number, most: number): string {
  const text = place.text();
  if (text.length >= least && text.length <= most && /^[0-9a-f]+$/i.test(text)) return text;
  return place.fail(`not a hash of ${least === most ? least : `${least} to ${most}`} digits in hexadecimal`);
}

function isLicense(value: unknown): value is string {
  return typeof value === 'string' && value.length <= longestLicense;
}
