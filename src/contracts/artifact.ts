/**
 * Something that an episode made: a patch, a page, a picture. It is recorded beside the episode for people. No agent
 * reads it, and no reward does.
 */
export interface Artifact {
  /** What it is called, such as `patch.diff`: 1 to 200 characters, none of them a control character. */
  readonly name: string;
  /** Its media type, such as `text/x-diff`, `image/png` or `application/json`. */
  readonly mediaType: string;
  /** A text is recorded as UTF-8. */
  readonly content: string | Uint8Array;
}

/** An artifact, as the record of its episode lists it. */
export interface RecordedArtifact extends Pick<Artifact, 'name' | 'mediaType'> {
  /** Place of the turn whose action brought it. Absent: it came with the start of the task. */
  readonly turn?: number;
  /** Length of its content. */
  readonly bytes: number;
  /**
   * SHA-256 of its content, as hexadecimal digits. The content is in the run's folder, in `artifacts/` under this name.
   * Absent: the content was left out, because the artifact or those of its episode were too large.
   */
  readonly sha256?: string;
}
