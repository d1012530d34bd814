import {
  Alert,
  Button,
  Card,
  Group,
  SegmentedControl,
  Select,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { lazy, Suspense, useMemo } from "react";
import type { BodyOf } from "../../api/operations.ts";
import { useChange } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { countryName } from "../../format/countries.ts";
import { useConfirm } from "../../kit/confirm.tsx";
import { choiceField, numberField, textField } from "../../kit/fields.ts";
import { Form } from "../../kit/form.tsx";
import { NumberField } from "../../kit/number-field.tsx";
import { Section } from "../../kit/page.tsx";
import type { Circle } from "../../map/circle.ts";
import { countryOptions } from "../../map/countries-list.ts";
import { type EntriesRead, EntryTable } from "./entry-list.tsx";
import { geoFieldProblems, stateCodeAdvice } from "./geo-field-problems.ts";
import { type GeoTarget, pathOf, useCampaign } from "./use-campaign.ts";

const WorldMap = lazy(() => import("../../map/world-map.tsx"));

type GeoType = GeoTarget["target_type"];

function placeName({
  target_type: type,
  country_code: code,
  state_code: state,
  city_name: city,
  ...circle
}: Partial<BodyOf<"POST /campaigns/{campaign_id}/geo-targets">>) {
  if (type === "radius") return `${circle.radius_km} km around ${circle.lat}, ${circle.lng}`;
  return [city, state, countryName(code ?? null)].filter(Boolean).join(", ");
}

const STATE_CODE =
  "The part of its ISO 3166-2 code after the hyphen: CA for California (US-CA). The game sends the same code for its players.";
const FIRST_RADIUS_KM = 300;
const DRAFT_WITH = ["target_type", "include", "country_code", "radius_km"] as const;

/** What a form for another place of the kind begins with: a circle without a centre, which a person has to choose. */
function emptyGeoTarget(type: GeoType, include: boolean | null | undefined) {
  return {
    target_type: type,
    include: include ?? true,
    ...(type === "radius" && { radius_km: FIRST_RADIUS_KM }),
  };
}

/** Where the campaign may be shown: countries, regions and cities, and circles on a map. */
export function GeoTargets({ read }: EntriesRead<GeoTarget>) {
  const targets = read.data;
  const campaign = useCampaign();
  const at = pathOf(campaign);
  const confirm = useConfirm();
  const { canChange } = useAbility();
  const form = useApiForm(
    "POST /campaigns/{campaign_id}/geo-targets",
    { target_type: "country", include: true },
    {
      draft: `place of ${campaign.id}`,
      draftWith: DRAFT_WITH,
      check: (place) => geoFieldProblems(place, targets ?? []),
      confirm: async (place) => {
        const isFirst = place.include !== false && !targets?.some(({ include }) => include);
        if (campaign.status !== "active" || !isFirst) return true;
        return confirm({
          title: `Include ${placeName(place)}`,
          consequences: [
            "From now on only players there see it; players whose place is unknown no longer do.",
          ],
          action: "Show only there",
        });
      },
    },
  );
  const remove = useChange("DELETE /campaigns/{campaign_id}/geo-targets/{geo_target_id}");
  const { values } = form;
  const type = values.target_type ?? "country";
  const { lat: draftLat, lng: draftLng, radius_km: draftKm } = values;
  // A circle that lacks a number is none.
  const draft: Circle | undefined =
    type === "radius" &&
    typeof draftLat === "number" &&
    typeof draftLng === "number" &&
    typeof draftKm === "number"
      ? { lat: draftLat, lng: draftLng, radiusKm: draftKm }
      : undefined;
  // Drawing them is work: a drag of the draft must not repeat it.
  const circles = useMemo(
    () =>
      (targets ?? []).flatMap(({ target_type: kind, lat, lng, radius_km: km, include }) =>
        kind === "radius" && lat !== null && lng !== null && km !== null
          ? [{ lat, lng, radiusKm: km, isExcluded: !include }]
          : [],
      ),
    [targets],
  );
  const codes = (include: boolean) =>
    new Set(
      (targets ?? []).flatMap((target) =>
        target.target_type === "country" && target.include === include ? [target.country_code ?? ""] : [],
      ),
    );
  const chooseType = (next: GeoType) => {
    const country = next === "radius" ? undefined : values.country_code;
    form.reset({ ...emptyGeoTarget(next, values.include), ...(country && { country_code: country }) });
  };
  const add = async () => {
    await form.send(at, () => emptyGeoTarget(type, values.include));
  };
  const isOnlyInclude = ({ id, include }: GeoTarget) =>
    include && !targets?.some((other) => other.include && other.id !== id);
  const removeGeoTarget = async (target: GeoTarget) => {
    if (isOnlyInclude(target)) {
      const isAgreed = await confirm({
        title: `Remove ${placeName(target)}`,
        consequences: [
          campaign.status === "active"
            ? "It is the last included place: from now on the campaign is shown everywhere in the world, except in excluded places."
            : "It is the last included place: once active, the campaign is shown everywhere in the world, except in excluded places.",
        ],
        action: "Remove and show everywhere",
      });
      if (!isAgreed) return false;
    }
    await remove.mutateAsync({ path: { ...at.path, geo_target_id: target.id } });
    return true;
  };
  const number = (field: "lat" | "lng" | "radius_km", label: string) => (
    <NumberField label={label} {...numberField(form, field)} hideControls decimalScale={3} />
  );
  return (
    <Section
      title="Places"
      about="Without included places the campaign may appear everywhere; with them, only there. It never appears in an excluded place, even inside an included one. The game says where a player is; an unknown place matches none."
    >
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Card padding="md">
          <Suspense fallback={<Skeleton height={260} />}>
            <WorldMap
              label="A map of the included and excluded places; the table below lists them"
              included={codes(true)}
              excluded={codes(false)}
              circles={circles}
              draft={canChange ? draft : undefined}
              {...(canChange &&
                (type === "radius"
                  ? {
                      onMove: ({ lat, lng }) => {
                        form.set("lat", lat);
                        form.set("lng", lng);
                      },
                    }
                  : { onChooseCountry: (code) => form.set("country_code", code) }))}
            />
          </Suspense>
        </Card>
        {canChange && (
          <Card padding="md">
            <Form onSend={add}>
              <Stack gap="sm">
                {form.failure && <Alert color="negative">{form.failure}</Alert>}
                <Group gap="xs">
                  <SegmentedControl
                    aria-label="Include or exclude"
                    data={[
                      { value: "include", label: "Show only there" },
                      { value: "exclude", label: "Never there" },
                    ]}
                    value={values.include === false ? "exclude" : "include"}
                    onChange={(value) => form.set("include", value === "include")}
                  />
                  <SegmentedControl
                    aria-label="Kind of place"
                    data={[
                      { value: "country", label: "Country" },
                      { value: "state", label: "State" },
                      { value: "city", label: "City" },
                      { value: "radius", label: "Circle" },
                    ]}
                    value={type}
                    onChange={(value) => chooseType(value as GeoType)}
                  />
                </Group>
                {type === "radius" ? (
                  <>
                    <Text c="dimmed" fz="xs">
                      {draft
                        ? "Click the map, drag the centre, move it with the arrow keys, or write the numbers."
                        : "Click the map where the centre is, or write the numbers."}
                    </Text>
                    <SimpleGrid cols={3} spacing="xs">
                      {number("lat", "Latitude")}
                      {number("lng", "Longitude")}
                      {number("radius_km", "Radius in km")}
                    </SimpleGrid>
                  </>
                ) : (
                  <Select
                    label="Country"
                    description="Or choose it on the map."
                    data={[...countryOptions]}
                    searchable
                    selectFirstOptionOnChange
                    allowDeselect={false}
                    {...choiceField(form, "country_code")}
                  />
                )}
                {type === "state" && (
                  <TextInput
                    label="State or province code"
                    placeholder="e.g. CA"
                    description={stateCodeAdvice(values) ?? STATE_CODE}
                    {...textField(form, "state_code")}
                  />
                )}
                {type === "city" && (
                  <TextInput label="City" placeholder="e.g. Berlin" {...textField(form, "city_name")} />
                )}
                <Group>
                  <Button type="submit" variant="default" loading={form.isSending}>
                    {values.include === false ? "Exclude place" : "Include place"}
                  </Button>
                </Group>
              </Stack>
            </Form>
          </Card>
        )}
      </SimpleGrid>
      <Stack mt="md">
        <EntryTable
          label="Places"
          name="places"
          read={read}
          nameOf={placeName}
          onRemove={removeGeoTarget}
          columns={(make) => [
            make.text("place", "Place", placeName, { phone: "title" }),
            make.status(
              "rule",
              "Rule",
              ({ include }) =>
                include
                  ? { tone: "positive", word: "Shown there" }
                  : { tone: "negative", word: "Never there" },
              { phone: "fact" },
            ),
          ]}
        />
      </Stack>
    </Section>
  );
}
