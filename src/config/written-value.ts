/** A value of the command line that YAML reads as something else than text. An option of text takes it as it was written. */
export class WrittenValue {
  constructor(
    readonly value: unknown,
    readonly text: string,
  ) {}

  toJSON(): unknown {
    return this.value;
  }
}
