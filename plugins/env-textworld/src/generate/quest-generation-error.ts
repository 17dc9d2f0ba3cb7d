/** No quest was found: there is none with these options, or the search for one was given up. */
export class QuestGenerationError extends Error {
  constructor(
    message: string,
    /** `exhausted`: no quest exists, as the original finds too; `abandoned`: the search was too long. */
    readonly reason: 'exhausted' | 'abandoned',
  ) {
    super(message);
    this.name = 'QuestGenerationError';
  }
}
