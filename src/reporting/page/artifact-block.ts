import { formatBytes } from '../format-quantity.js';
import type { ReportArtifact } from '../report-data.js';
import { downloadFile } from './download-file.js';
import { element } from './element.js';
import { foldedText } from './folded-text.js';

/** What a browser shows as a picture, and cannot contain scripts. */
const pictures = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
/** Texts by their media types. Pages and drawings are texts, too: they may contain scripts, and an agent wrote them. */
const texts = /^text\/|^application\/(json|xml|javascript|yaml|toml|x-sh)$|\+(json|xml|yaml)$/;

/** An artifact of an episode: a text or a picture, and always to save. Nothing in it is executed. */
export function artifactBlock(artifact: ReportArtifact): HTMLElement {
  const { name, mediaType, bytes } = artifact;
  const head = [element('b', name), ` ${mediaType} · ${formatBytes(bytes)} `];
  if ('absent' in artifact) {
    return element('div.artifact', element('p.fine', ...head), element('p.remark', artifact.absent));
  }
  const { content } = artifact;
  const [type = ''] = mediaType.toLowerCase().split(';');
  // Without its media type, so that no browser opens a page instead of saving it.
  const save = () => downloadFile(name, new Blob([bytesOf(content)], { type: 'application/octet-stream' }));
  return element(
    'div.artifact',
    element('p.fine', ...head, element('button.quiet', { type: 'button', onclick: save }, 'save')),
    pictures.includes(type) && element('img', { src: `data:${type};base64,${content}`, alt: name }),
    texts.test(type) && foldedText(new TextDecoder().decode(bytesOf(content)), 'observation'),
  );
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
