declare module "virtual:request-schemas" {
  import type { FieldSchema } from "./api/check-fields.ts";

  const schemas: Readonly<Record<string, FieldSchema>>;
  export default schemas;
}
