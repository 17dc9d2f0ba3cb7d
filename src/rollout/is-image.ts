/**
 * Whether a value that stands where a text belongs is an image, as the interfaces of vision models and of worlds with
 * pictures write them: bytes, an array of pixels, an object such as `{type: 'image', ...}`, or a list with one.
 */
export function isImage(value: unknown): boolean {
  if (!Array.isArray(value)) return isPicture(value);
  return isPixels(value) || value.some(isPicture);
}

function isPicture(value: unknown): boolean {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return true;
  if (typeof value !== 'object' || value === null) return false;
  if (['image', 'images', 'image_url', 'pixels'].some((name) => name in value)) return true;
  const { type, mediaType } = value as { readonly type?: unknown; readonly mediaType?: unknown };
  return [type, mediaType].some((one) => typeof one === 'string' && /(^|_)image($|[_/])/i.test(one));
}

/** Rows of numbers or of colours: an array of numpy, as JSON writes it. */
function isPixels([row]: readonly unknown[]): boolean {
  const first: unknown = Array.isArray(row) ? row[0] : undefined;
  return typeof (Array.isArray(first) ? first[0] : first) === 'number';
}
