// Lists, creates, updates one field and deletes each noun with the types of openapi-typescript.
import createClient from "openapi-fetch";
import records from "./records.json" with { type: "json" };
import type { paths } from "./schema.js";

declare const process: { argv: string[] };
const [, , secret, , root] = process.argv;
// A list of events can also be a feed (`?format=`): the media type tells the types which answer is meant.
const api = createClient<paths, "application/json">({ baseUrl: root, headers: { Authorization: `Bearer ${secret}` } });

type Answer<T> = Promise<{ data?: T; error?: unknown }>;

async function sent<T>(answer: Answer<T>): Promise<T> {
  const { data, error } = await answer;
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

async function attempt<Stored extends { id: number }>(
  list: () => Answer<{ total: number }>,
  create: () => Answer<Stored>,
  update: (path: { id: number }) => Answer<Stored>,
  remove: (path: { id: number }) => Answer<Stored>,
) {
  const before = (await sent(list())).total;
  const created = await sent(create());
  const between = (await sent(list())).total;
  const path = { id: created.id };
  const updated = await sent(update(path));
  const deleted = await sent(remove(path));
  return { totals: [before, between, (await sent(list())).total], created, updated, deleted };
}

const { category, tag, venue, organizer, event } = records;
const results = {
  category: await attempt(
    () => api.GET("/categories", { params: { query: category.list } }),
    () => api.POST("/categories", { body: category.create }),
    (path) => api.PATCH("/categories/{id}", { params: { path }, body: category.update }),
    (path) => api.DELETE("/categories/{id}", { params: { path } }),
  ),
  tag: await attempt(
    () => api.GET("/tags", { params: { query: tag.list } }),
    () => api.POST("/tags", { body: tag.create }),
    (path) => api.PATCH("/tags/{id}", { params: { path }, body: tag.update }),
    (path) => api.DELETE("/tags/{id}", { params: { path } }),
  ),
  venue: await attempt(
    () => api.GET("/venues", { params: { query: venue.list } }),
    () => api.POST("/venues", { body: venue.create }),
    (path) => api.PATCH("/venues/{id}", { params: { path }, body: venue.update }),
    (path) => api.DELETE("/venues/{id}", { params: { path } }),
  ),
  organizer: await attempt(
    () => api.GET("/organizers", { params: { query: organizer.list } }),
    () => api.POST("/organizers", { body: organizer.create }),
    (path) => api.PATCH("/organizers/{id}", { params: { path }, body: organizer.update }),
    (path) => api.DELETE("/organizers/{id}", { params: { path } }),
  ),
  event: await attempt(
    () => api.GET("/events", { params: { query: event.list } }),
    () => api.POST("/events", { body: event.create }),
    (path) => api.PATCH("/events/{id}", { params: { path }, body: event.update }),
    (path) => api.DELETE("/events/{id}", { params: { path } }),
  ),
};
console.log(JSON.stringify(results));
