export * from "./impression-record.ts";
export * from "./snapshot.ts";
