/**
 * The operations of the API as types, inferred from the registry in packages/contracts: nothing of it reaches the browser.
 * An operation is named as the reference names it: "POST /campaigns/{campaign_id}/activate".
 */
import type * as contracts from "@diegetic/contracts";
import type { Static, TSchema } from "typebox";

type Contracts = typeof contracts;
type FeatureName = Extract<keyof Contracts, `${string}Api`>;
type OperationsOf<Feature> = Feature extends { operations: infer Operations }
  ? Operations[keyof Operations]
  : never;
type AnyOperation = { [Name in FeatureName]: OperationsOf<Contracts[Name]> }[FeatureName];
type Addressed = Extract<AnyOperation, { method: string; path: string }>;

type Registry = { [Operation in Addressed as `${Operation["method"]} ${Operation["path"]}`]: Operation };

export type OperationKey = keyof Registry;
/** The operations that change nothing, and can be asked for at any time. */
export type ReadKey = Extract<OperationKey, `GET ${string}`>;
export type ChangeKey = Exclude<OperationKey, ReadKey>;

type ParameterName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterName<Rest>
  : never;
type PathOf<Key extends OperationKey> = { [Name in ParameterName<Key>]: string };

type QueryOf<Key extends OperationKey> = (Registry[Key] extends { query: infer Query }
  ? Query extends readonly { name: string; schema: TSchema }[]
    ? { [Parameter in Query[number] as Parameter["name"]]?: Static<Parameter["schema"]> }
    : object
  : object) &
  (Registry[Key] extends { paged: true } ? { limit?: number; cursor?: string } : object);

export type BodyOf<Key extends OperationKey> = Registry[Key] extends {
  request: { schema: infer Schema extends TSchema };
}
  ? Static<Schema>
  : undefined;

export type AnswerOf<Key extends OperationKey> = Registry[Key] extends { success: readonly (infer Success)[] }
  ? Success extends { schema: infer Schema extends TSchema }
    ? Static<Schema>
    : undefined
  : never;

/** What a call needs: parts that the operation does not have are left out, parts that it needs must be there. */
export type InputOf<Key extends OperationKey> = (ParameterName<Key> extends never
  ? object
  : { path: PathOf<Key> }) &
  (keyof QueryOf<Key> extends never ? object : { query?: QueryOf<Key> }) &
  (BodyOf<Key> extends undefined ? object : { body: BodyOf<Key> });

/** An input that may be left out when nothing in it is needed. */
export type InputArguments<Key extends OperationKey> =
  object extends InputOf<Key> ? [input?: InputOf<Key>] : [input: InputOf<Key>];
