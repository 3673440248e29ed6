// Prints the events of an iCalendar file on standard input as JSON; ical.js is in the folder NODE_PATH.
const ICAL = require("ical.js");

const moment = (time) => (time === null ? null : time.isDate ? time.toString() : time.toUnixTime());

const calendar = new ICAL.Component(ICAL.parse(require("fs").readFileSync(0, "utf-8")));
const events = calendar.getAllSubcomponents("vevent").map((event) => ({
  uid: event.getFirstPropertyValue("uid"),
  summary: event.getFirstPropertyValue("summary"),
  description: event.getFirstPropertyValue("description"),
  location: event.getFirstPropertyValue("location"),
  start: moment(event.getFirstPropertyValue("dtstart")),
  end: moment(event.getFirstPropertyValue("dtend")),
}));
console.log(JSON.stringify(events));
