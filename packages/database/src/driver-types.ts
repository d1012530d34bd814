import pg from "pg";

const BIGINT = 20;

/** Column parsers: bigint as bigint, everything else as the driver's default. */
export const driverTypes = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === BIGINT && format !== "binary" ? BigInt : pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig;
