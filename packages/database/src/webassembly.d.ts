/** The part of the WebAssembly API that this package uses; TypeScript declares it only with the browser's types. */
declare namespace WebAssembly {
  interface Instance {
    readonly exports: Readonly<Record<string, unknown>>;
  }
  function instantiate(
    bytes: Uint8Array,
    imports: Record<string, Record<string, unknown>>,
  ): Promise<{ instance: Instance }>;
}
