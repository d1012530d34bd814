import type { FeatureCollection } from "geojson";
import { iso31661 } from "iso-3166";
import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import atlas from "world-atlas/countries-110m.json";
import { countryShape } from "./circle.ts";

const topology = atlas as unknown as Topology<{ countries: GeometryCollection<{ name: string }> }>;
const countries: FeatureCollection<GeoJSON.Geometry, { name: string }> = feature(
  topology,
  topology.objects.countries,
);
const codeByNumber = new Map(iso31661.map(({ numeric, alpha2 }) => [numeric, alpha2]));

/** Everywhere but Antarctica, where nobody plays: it would take a third of the picture. */
export const inhabited = countries.features.filter(({ id }) => String(id) !== "010");

/** Undefined for the few areas without a code of their own. */
export function codeOf({ id }: (typeof inhabited)[number]): string | undefined {
  return codeByNumber.get(String(id));
}

export const countryShapes = inhabited.map((country) => countryShape(codeOf(country), country.geometry));
