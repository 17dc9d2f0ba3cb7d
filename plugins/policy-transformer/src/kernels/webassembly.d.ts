/** The used part of a global that Node has, but that only TypeScript's library for browsers declares. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>);
  }
  class Memory {
    constructor(options: { readonly initial: number });
    readonly buffer: ArrayBuffer;
    /** Grows by this many pages of 64 KiB. Earlier buffers are detached. */
    grow(pages: number): number;
  }
  class Instance {
    constructor(module: Module, imports: object);
    readonly exports: object;
  }
}
