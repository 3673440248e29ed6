// Shows the OpenAPI description of the interface, and sends the requests that a reader fills in.
"use strict";

const root = document.body.dataset.root;
const METHODS = ["get", "post", "put", "patch", "delete"]; // HEAD and OPTIONS follow from these
const LONGEST = 100_000; // characters of a response
const created = {}; // noun: the record that was created last on this page
let description;
let authorization = "";

const byId = (id) => document.getElementById(id);
const copyOf = (id) => byId(id).content.cloneNode(true);

function element(name, text = "", attributes = {}) {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...marked(text));
  return made;
}

/** Text with `code` between backticks. */
function marked(text) {
  return text.split("`").map((part, index) => {
    if (index % 2 === 0) return part;
    return Object.assign(document.createElement("code"), { textContent: part });
  });
}

const paragraphs = (text) => text.split("\n\n").map((part) => element("p", part));

/** A part of the description; what stands beside a reference wins over what it refers to. */
function resolved(part) {
  if (!part?.$ref) return part ?? {};
  const { $ref, ...beside } = part;
  const target = $ref.slice(2).split("/").reduce((found, key) => found[key.replaceAll("~1", "/").replaceAll("~0", "~")], description);
  return { ...resolved(target), ...beside };
}

function start() {
  byId("version").textContent = description.info.version;
  byId("about").append(...paragraphs(description.info.description));
  byId("sign-in").hidden = false;
  for (const noun of description.tags) {
    const section = element("section", "", { id: noun.name });
    section.append(element("h2", noun.description.replace(/\.$/, "")));
    for (const [path, methods] of Object.entries(description.paths)) {
      for (const method of METHODS.filter((name) => methods[name]?.tags[0] === noun.name)) {
        section.append(operationOf(path, method, methods[method]));
      }
    }
    byId("operations").append(section);
    const item = element("li");
    item.append(element("a", noun.description.replace(/\.$/, ""), { href: `#${noun.name}` }));
    byId("nouns").append(item);
  }
  showTarget();
}

function operationOf(path, method, operation) {
  const details = copyOf("operation").firstElementChild;
  details.id = operation.operationId;
  details.dataset.path = path;
  details.querySelector(".method").textContent = method.toUpperCase();
  details.querySelector(".method").classList.add(method);
  details.querySelector("code").textContent = path;
  details.querySelector("code").before(element("h3", operation.summary), " ");
  details.addEventListener("toggle", () => fill(details, path, method, operation), { once: true });
  return details;
}

/** Adds the content of an operation when it is opened for the first time. */
function fill(details, path, method, operation) {
  const content = copyOf("content");
  const form = content.querySelector("form");
  content.querySelector(".about").append(...paragraphs(operation.description));
  if (operation.security.some((kind) => Object.keys(kind).length === 0)) content.querySelector(".rights").remove();
  const parameters = operation.parameters.map(resolved);
  form.querySelector(".parameters").append(...parameters.map((one) => fieldOf(one, details.id)));
  const body = resolved(operation.requestBody).content?.["application/json"];
  if (body) {
    content.querySelector(".fields dl").append(...fieldsOf(resolved(body.schema)));
  } else {
    content.querySelectorAll(".body, .fields").forEach((one) => one.remove());
  }
  content.querySelector(".responses dl").append(...responsesOf(operation.responses));
  details.append(content);
  form.querySelector(".quiet").addEventListener("click", () => fillExample(form, path, parameters, body));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(details, path, method, parameters);
  });
}

function fieldOf(parameter, operation) {
  const { name, required, schema } = parameter;
  const row = element("div", "", { className: "parameter" });
  const label = element("label", `${name}${required ? " *" : ""}`);
  const types = [schema.type].flat();
  const choices = types.includes("boolean") ? ["true", "false"] : schema.enum;
  const input = choices ? element("select") : element("input", "", { type: "text", autocomplete: "off" });
  if (choices) input.append(...["", ...choices].map((value) => element("option", value, { value })));
  input.name = name;
  input.required = required;
  const hint = element("p", `${parameter.description} (${[parameter.in, ...limitsOf(schema)].join(", ")})`);
  hint.id = `${operation}-${name}`;
  input.setAttribute("aria-describedby", hint.id);
  label.append(input);
  row.append(label, hint);
  return row;
}

/** Type, range and default of a value. */
function limitsOf(schema) {
  const { minimum, maximum } = schema;
  const limits = [[schema.type ?? ""].flat().join(" | ")];
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) limits.push(`${minimum ?? ""}–${maximum}`);
  if (schema.default !== undefined) limits.push(`= ${schema.default}`);
  return limits.filter(Boolean);
}

function fieldsOf(schema) {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const known = resolved(field);
    return [element("dt", `\`${name}\``), element("dd", [known.description, ...limitsOf(known)].filter(Boolean).join(" · "))];
  });
}

function responsesOf(responses) {
  return Object.entries(responses).flatMap(([status, response]) => {
    const known = resolved(response);
    const meaning = element("dd", known.description);
    const content = known.content?.["application/json"];
    const example = status < 300 && Object.values(content?.examples ?? {})[0];
    if (example) {
      const text = JSON.stringify(resolved(example).value, null, 2);
      meaning.append(element("pre", "", { textContent: text, tabIndex: 0 }));
    }
    return [element("dt", status), meaning];
  });
}

async function fillExample(form, path, parameters, body) {
  const problem = form.querySelector(".problem span");
  const keys = parameters.filter((one) => ["id", "slug"].includes(one.name) && one.in === "path");
  const record = keys.length ? await recordOf(path.split("/")[1]) : {};
  problem.hidden = Boolean(record);
  for (const { name, required, schema } of parameters) {
    const value = record?.[name] ?? schema.default ?? (required ? schema.enum?.[0] : undefined);
    form.elements[name].value = value ?? "";
  }
  if (body) {
    const example = { ...resolved(Object.values(body.examples)[0]).value };
    if (example.name) example.name += ` ${new Date().toISOString().slice(0, 19)}`; // names of terms are unique
    form.querySelector("textarea").value = JSON.stringify(example, null, 2);
  }
}

/** The record of a noun that was created on this page, or else the first of its list. */
async function recordOf(plural) {
  if (created[plural]) return created[plural];
  const answer = await request("GET", `/${plural}?per_page=1&_fields=${plural}.id,${plural}.slug`);
  return answer.ok ? (await answer.json())[plural]?.[0] : undefined;
}

function request(method, address, headers = {}, body = undefined) {
  const sent = { ...headers, ...(authorization && { Authorization: authorization }) };
  if (body) sent["Content-Type"] = "application/json";
  return fetch(root + address, { method, headers: sent, body, credentials: "omit", cache: "no-store" });
}

async function send(details, path, method, parameters) {
  const form = details.querySelector("form");
  const query = new URLSearchParams();
  const headers = {};
  let address = path;
  for (const { name, in: place } of parameters) {
    const value = form.elements[name].value;
    if (place === "path") address = address.replace(`{${name}}`, encodeURIComponent(value));
    else if (value && place === "query") query.set(name, value);
    else if (value) headers[name] = value;
  }
  const text = `${address}?${query}`.replace(/\?$/, "");
  const body = form.querySelector("textarea")?.value;
  let answer;
  try {
    answer = await request(method.toUpperCase(), text, headers, body || undefined);
    show(details, `${answer.status} ${answer.statusText}`, [...answer.headers], await answer.text());
  } catch (error) {
    show(details, String(error), [], "");
    return;
  }
  remember(path.split("/")[1], method, answer, details);
}

function remember(plural, method, answer, details) {
  if (answer.status === 201) created[plural] = JSON.parse(details.dataset.answer);
  if (method === "delete" && answer.ok) delete created[plural];
}

function show(details, status, headers, text) {
  const shown = details.querySelector(".answer");
  details.dataset.answer = text;
  shown.hidden = false;
  shown.querySelector(".status").textContent = status;
  shown.querySelector(".headers").textContent = headers.map((pair) => pair.join(": ")).join("\n");
  shown.querySelector(".text").textContent = indented(text);
}

function indented(text) {
  try {
    text = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // no JSON: a feed or a file
  }
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}\n…` : text;
}

async function signIn(event) {
  event.preventDefault();
  const form = event.target;
  const bytes = new TextEncoder().encode(`${form.user.value}:${form.password.value}`);
  authorization = `Basic ${btoa(String.fromCharCode(...bytes))}`;
  const answer = await request("GET", "/tags?per_page=1");
  if (!answer.ok) authorization = "";
  form.querySelector("[role=status] span").hidden = !answer.ok;
  form.querySelector("b").textContent = answer.ok ? form.user.value : (await answer.json()).message;
}

/** Opens the operation that the address names. */
function showTarget() {
  const target = byId(decodeURIComponent(location.hash.slice(1)));
  if (target?.matches("details")) target.open = true;
  target?.scrollIntoView();
}

byId("sign-in").addEventListener("submit", signIn);
addEventListener("hashchange", showTarget);
fetch(`${root}/doc`, { credentials: "omit" })
  .then(async (answer) => {
    description = await answer.json();
    if (!answer.ok) throw new Error(description.message);
    start();
  })
  .catch((error) => byId("about").append(element("p", error.message)));
