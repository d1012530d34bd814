import {
  Alert,
  Autocomplete,
  Button,
  Card,
  Group,
  List,
  NumberInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  Skeleton,
  Slider,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, lazy, Suspense, useMemo, useState } from "react";
import type { AnswerOf, BodyOf } from "../../api/operations.ts";
import { useChange, useRead } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { countryName } from "../../format/countries.ts";
import { formatDecimal, formatTerm } from "../../format/format.ts";
import { columnMakers } from "../../kit/columns.tsx";
import { useConfirm } from "../../kit/confirm.tsx";
import { textField } from "../../kit/fields.ts";
import { Section } from "../../kit/page.tsx";
import { Status } from "../../kit/status.tsx";
import type { Circle } from "../../map/circle.ts";
import { countryOptions } from "../../map/countries-list.ts";
import { EntryForm, EntryTable } from "./entry-list.tsx";
import { MAX_SUGGESTIONS, sentWords } from "./sent-words.ts";
import { targetingWarnings } from "./targeting-warnings.ts";
import { pathOf, useCampaign } from "./use-campaign.ts";

const WorldMap = lazy(() => import("../../map/world-map.tsx"));
const loadShapes = async () => (await import("../../map/country-shapes.ts")).countryShapes;

type GeoTarget = AnswerOf<"GET /campaigns/{campaign_id}/geo-targets">[number];
type GeoType = GeoTarget["target_type"];

export function Component() {
  const campaign = useCampaign();
  const { canChange } = useAbility();
  const at = pathOf(campaign);
  const geo = useRead("GET /campaigns/{campaign_id}/geo-targets", at);
  const rules = useRead("GET /campaigns/{campaign_id}/blocklist", at);
  const affinities = useRead("GET /campaigns/{campaign_id}/affinities", at);
  const words = useRead("GET /market/words");
  const shapes = useQuery({ queryKey: ["country shapes"], queryFn: loadShapes, staleTime: Infinity });
  const warnings = useMemo(
    () =>
      geo.data && rules.data && affinities.data
        ? targetingWarnings(campaign, geo.data, rules.data, affinities.data, words.data, shapes.data)
        : [],
    [campaign, geo.data, rules.data, affinities.data, words.data, shapes.data],
  );
  return (
    <>
      {canChange && campaign.status === "active" && (
        <Text c="dimmed">The campaign is active: what you add or remove here acts at once.</Text>
      )}
      <Places targets={geo.data} error={geo.error} onRetry={() => void geo.refetch()} />
      {warnings.length > 0 && (
        <Alert color="warning" title="Worth knowing">
          <List spacing={4} size="sm">
            {warnings.map((warning) => (
              <List.Item key={warning}>{warning}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Affinities
        affinities={affinities.data}
        error={affinities.error}
        onRetry={() => void affinities.refetch()}
      />
      <Blocklist rules={rules.data} error={rules.error} onRetry={() => void rules.refetch()} />
    </>
  );
}

interface PartProps {
  error: unknown;
  onRetry: () => void;
}

function placeName({
  target_type: type,
  country_code: code,
  state_code: state,
  city_name: city,
  ...circle
}: GeoTarget) {
  if (type === "radius") return `${circle.radius_km} km around ${circle.lat}, ${circle.lng}`;
  return [city, state, countryName(code)].filter(Boolean).join(", ");
}

const columns = {
  place: columnMakers<GeoTarget>(),
  affinity: columnMakers<Affinity>(),
  rule: columnMakers<Rule>(),
};

const FIRST_CIRCLE: Circle = { lat: 52.52, lng: 13.405, radiusKm: 300 };

function Places({ targets, error, onRetry }: PartProps & { targets: GeoTarget[] | undefined }) {
  const campaign = useCampaign();
  const at = pathOf(campaign);
  const confirm = useConfirm();
  const { canChange } = useAbility();
  const form = useApiForm("POST /campaigns/{campaign_id}/geo-targets", {
    target_type: "country",
    include: true,
  });
  const remove = useChange("DELETE /campaigns/{campaign_id}/geo-targets/{geo_target_id}");
  const { values } = form;
  const type = values.target_type ?? "country";
  const draft: Circle | undefined =
    type === "radius"
      ? {
          lat: values.lat ?? FIRST_CIRCLE.lat,
          lng: values.lng ?? FIRST_CIRCLE.lng,
          radiusKm: values.radius_km ?? FIRST_CIRCLE.radiusKm,
        }
      : undefined;
  const codes = (include: boolean) =>
    new Set(
      (targets ?? []).flatMap((target) =>
        target.target_type === "country" && target.include === include ? [target.country_code ?? ""] : [],
      ),
    );
  const chooseType = (next: GeoType) => {
    form.reset({
      target_type: next,
      include: values.include ?? true,
      ...(next === "radius" && {
        lat: FIRST_CIRCLE.lat,
        lng: FIRST_CIRCLE.lng,
        radius_km: FIRST_CIRCLE.radiusKm,
      }),
      ...(next !== "radius" && values.country_code && { country_code: values.country_code }),
    });
  };
  const add = async (event: FormEvent) => {
    event.preventDefault();
    await form.send(at, () => ({ target_type: type, include: values.include ?? true }));
  };
  const isOnlyInclude = ({ id, include }: GeoTarget) =>
    include && !targets?.some((other) => other.include && other.id !== id);
  const removePlace = async (target: GeoTarget) => {
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
      if (!isAgreed) return;
    }
    await remove.mutateAsync({ path: { ...at.path, geo_target_id: target.id } });
  };
  const number = (field: "lat" | "lng" | "radius_km", label: string) => (
    <NumberInput
      label={label}
      value={values[field] ?? ""}
      onChange={(value) => form.set(field, typeof value === "number" ? value : undefined)}
      error={form.problem(field)}
      hideControls
      decimalScale={3}
    />
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
              circles={(targets ?? []).flatMap(({ target_type: kind, lat, lng, radius_km: km, include }) =>
                kind === "radius" && lat !== null && lng !== null && km !== null
                  ? [{ lat, lng, radiusKm: km, isExcluded: !include }]
                  : [],
              )}
              draft={canChange ? draft : undefined}
              onMove={({ lat, lng }) => {
                form.set("lat", lat);
                form.set("lng", lng);
              }}
              onChooseCountry={(code) => {
                if (type !== "radius") form.set("country_code", code);
              }}
            />
          </Suspense>
        </Card>
        {canChange && (
          <Card padding="md">
            <form onSubmit={(event) => void add(event)} noValidate>
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
                      Drag the centre on the map, move it with the arrow keys, or write the numbers.
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
                    allowDeselect={false}
                    value={values.country_code ?? null}
                    onChange={(value) => form.set("country_code", value ?? undefined)}
                    error={form.problem("country_code")}
                  />
                )}
                {type === "state" && (
                  <TextInput
                    label="State or province code"
                    placeholder="e.g. BE"
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
            </form>
          </Card>
        )}
      </SimpleGrid>
      <Stack mt="md">
        <EntryTable
          label="Places"
          name="places"
          entries={targets}
          error={error}
          onRetry={onRetry}
          nameOf={placeName}
          onRemove={removePlace}
          columns={[
            columns.place.text("place", "Place", placeName, { phone: "title" }),
            columns.place.text("rule", "Rule", ({ include }) => (include ? "Shown there" : "Never there"), {
              phone: "fact",
              cell: ({ include }) => (
                <Status tone={include ? "positive" : "negative"}>
                  {include ? "Shown there" : "Never there"}
                </Status>
              ),
            }),
          ]}
        />
      </Stack>
    </Section>
  );
}

type Affinity = AnswerOf<"GET /campaigns/{campaign_id}/affinities">[number];

const AFFINITY_TYPES: { value: Affinity["affinity_type"]; examples: string[] }[] = [
  { value: "location", examples: ["tavern", "forest", "harbour", "castle"] },
  { value: "mood", examples: ["calm", "tense", "hopeful", "mysterious", "dramatic", "humorous"] },
  { value: "theme", examples: ["medieval", "cyberpunk", "space"] },
  { value: "action", examples: ["talk", "drink", "rest", "travel"] },
  { value: "category", examples: ["fantasy", "adventure", "racing"] },
  { value: "lighting", examples: ["warm", "candlelight", "moonlight", "neon"] },
  { value: "effects", examples: ["rain", "embers", "fog", "snow"] },
  { value: "camera", examples: ["close-up", "wide", "low angle"] },
];

function Affinities({ affinities, error, onRetry }: PartProps & { affinities: Affinity[] | undefined }) {
  const at = pathOf(useCampaign());
  const { canChange } = useAbility();
  const form = useApiForm("POST /campaigns/{campaign_id}/affinities", {
    affinity_type: "location",
    weight: 1,
  });
  const remove = useChange("DELETE /campaigns/{campaign_id}/affinities/{affinity_id}");
  const words = useRead("GET /market/words");
  const { values } = form;
  const type = values.affinity_type ?? "location";
  const sent = sentWords(words.data, type);
  const examples = AFFINITY_TYPES.find(({ value }) => value === type)?.examples ?? [];
  const add = async () => {
    await form.send(at, () => ({ affinity_type: type, weight: 1 }));
  };
  return (
    <Section
      title="Affinities"
      about="Affinities do not filter. A scene with the word raises the campaign's rank, and the word with the highest weight of each kind colours the scene."
    >
      {canChange && (
        <EntryForm form={form} action="Add affinity" onAdd={add}>
          <Select
            label="Kind"
            data={AFFINITY_TYPES.map(({ value }) => ({ value, label: formatTerm(value) }))}
            value={type}
            allowDeselect={false}
            onChange={(value) => form.set("affinity_type", value as Affinity["affinity_type"])}
            error={form.problem("affinity_type")}
            w={140}
          />
          <Autocomplete
            label="Word"
            data={
              sent.length > 0
                ? sent
                : [
                    {
                      group: words.data ? "Examples: no game has sent such words yet" : "Examples",
                      items: examples,
                    },
                  ]
            }
            limit={MAX_SUGGESTIONS}
            description={sent.length > 0 ? "The list is what games really send." : undefined}
            value={values.affinity_value ?? ""}
            onChange={(value) => form.set("affinity_value", value === "" ? undefined : value)}
            error={form.problem("affinity_value")}
            w={220}
          />
          <div>
            <Text fw={600} mb={4}>
              Weight: {formatDecimal(values.weight ?? 1)}
            </Text>
            <Slider
              thumbLabel="Weight"
              min={0.1}
              max={3}
              step={0.1}
              value={values.weight ?? 1}
              onChange={(value) => form.set("weight", Math.round(value * 10) / 10)}
              label={null}
              w={180}
              mt={14}
            />
          </div>
        </EntryForm>
      )}
      <EntryTable
        label="Affinities"
        name="affinities"
        entries={affinities}
        error={error}
        onRetry={onRetry}
        nameOf={({ affinity_value: value }) => value}
        onRemove={({ id }) => remove.mutateAsync({ path: { ...at.path, affinity_id: id } })}
        columns={[
          columns.affinity.text("value", "Word", ({ affinity_value: value }) => value, { phone: "title" }),
          columns.affinity.number("weight", "Weight", ({ weight }) => weight, {
            format: formatDecimal,
            phone: "fact",
          }),
          columns.affinity.text("type", "Kind", ({ affinity_type: kind }) => formatTerm(kind), {
            phone: "fact",
          }),
        ]}
      />
    </Section>
  );
}

type Rule = AnswerOf<"GET /campaigns/{campaign_id}/blocklist">[number];
type RuleType = BodyOf<"POST /campaigns/{campaign_id}/blocklist">["rule_type"];

const RULE_TYPES: { value: RuleType; label: string; help: string }[] = [
  { value: "keyword", label: "Keyword", help: "Anywhere in the scene, as whole words." },
  { value: "theme", label: "Theme", help: "The scene's theme is exactly this." },
  { value: "category", label: "Category", help: "The game's category is exactly this." },
  { value: "action", label: "Action", help: "One of the scene's actions is exactly this." },
  { value: "game_id", label: "Game", help: "The game's identifier, exactly as it is." },
];

function Blocklist({ rules, error, onRetry }: PartProps & { rules: Rule[] | undefined }) {
  const at = pathOf(useCampaign());
  const { canChange } = useAbility();
  const form = useApiForm("POST /campaigns/{campaign_id}/blocklist", { rule_type: "keyword" });
  const remove = useChange("DELETE /campaigns/{campaign_id}/blocklist/{blocklist_rule_id}");
  const { data: words } = useRead("GET /market/words");
  const [isOpen, setOpen] = useState(false);
  const type = form.values.rule_type ?? "keyword";
  const add = async () => {
    await form.send(at, () => ({ rule_type: type }));
  };
  const isShown = isOpen || (rules?.length ?? 0) > 0;
  return (
    <Section
      title="Blocklist"
      about="Blocked games, and scenes with a blocked word, theme, category or action, never show the campaign."
      actions={
        canChange &&
        !isShown && (
          <Button variant="default" onClick={() => setOpen(true)}>
            Block something
          </Button>
        )
      }
    >
      {canChange && isShown && (
        <EntryForm form={form} action="Add rule" onAdd={add}>
          <Select
            label="Kind"
            data={RULE_TYPES.map(({ value, label }) => ({ value, label }))}
            value={type}
            allowDeselect={false}
            onChange={(value) => form.set("rule_type", value as RuleType)}
            w={140}
          />
          <Autocomplete
            label="Value"
            description={RULE_TYPES.find(({ value }) => value === type)?.help}
            data={sentWords(words, type === "keyword" ? undefined : type)}
            limit={MAX_SUGGESTIONS}
            value={form.values.value ?? ""}
            onChange={(value) => form.set("value", value === "" ? undefined : value)}
            error={form.problem("value")}
            w={280}
          />
        </EntryForm>
      )}
      <EntryTable
        label="Blocklist"
        name="blocklist"
        entries={rules}
        error={error}
        onRetry={onRetry}
        nameOf={({ value }) => value}
        onRemove={({ id }) => remove.mutateAsync({ path: { ...at.path, blocklist_rule_id: id } })}
        columns={[
          columns.rule.text("value", "Value", ({ value }) => value, { phone: "title" }),
          columns.rule.text(
            "type",
            "Kind",
            ({ rule_type: kind }) => RULE_TYPES.find(({ value }) => value === kind)?.label ?? kind,
            { phone: "fact" },
          ),
        ]}
      />
    </Section>
  );
}
