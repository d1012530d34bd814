declare module "cluster-key-slot" {
  /** The hash slot (0 to 16383) of a key; of its hash tag, if it has one. */
  export default function calculateSlot(key: string): number;
}
