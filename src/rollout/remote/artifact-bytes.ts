/**
 * The answer of a program with the bytes of its artifacts: they come as base64, because JSON has no bytes. What is wrong
 * with an artifact otherwise is found where answers are checked.
 */
export function withArtifactBytes<T>(answer: T): T {
  if (typeof answer !== 'object' || answer === null || !('artifacts' in answer)) return answer;
  const { artifacts } = answer;
  return Array.isArray(artifacts) ? { ...answer, artifacts: artifacts.map(withBytes) } : answer;
}

function withBytes(artifact: unknown, index: number): unknown {
  if (typeof artifact !== 'object' || artifact === null || !('encoding' in artifact)) return artifact;
  const { encoding, ...named } = artifact;
  const content: unknown = 'content' in named ? named.content : undefined;
  if (encoding !== 'base64') throw new Error(`artifacts[${index}].encoding: must be "base64", or absent for text`);
  if (typeof content !== 'string' || content.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(content))
    throw new Error(`artifacts[${index}].content: is no base64`);
  return { ...named, content: Uint8Array.from(Buffer.from(content, 'base64')) };
}
