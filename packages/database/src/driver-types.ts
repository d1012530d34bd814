import pg from "pg";

const BIGINT = 20;

/** How connections of the driver read columns: bigint as bigint, all else as the driver does. */
export const driverTypes = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === BIGINT && format !== "binary" ? BigInt : pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig;
