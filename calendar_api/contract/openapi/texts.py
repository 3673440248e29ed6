"""The sentences of the interface description that stand neither in `schemas/` nor in the errors (pure).

Each is said in the language of the caller when the document is built; names, codes and values never are.
"""

TEXTS = {
    # what the whole is about
    "title": "Calendar",
    "about": "Events, venues, organizers, categories and tags of a calendar.",
    "about.addresses": (
        "A language segment (en, de, es, fr, it, nl) before the namespace gives descriptions and messages "
        "in that language. Letter case and a slash at the end of a path make no difference."
    ),
    "about.reading": (
        "Reading needs no credentials; who gives some sees more. A record that a caller may not read does "
        "not exist for that caller. Parameters that are not described here are ignored."
    ),
    "about.lists": (
        "A list in the query string is written with commas (`tags=3,5`) or with brackets "
        "(`tags[]=3&tags[]=5`). Where true or false is asked for, 1 and 0 do as well. Of a name that is "
        "sent twice the last counts."
    ),
    "about.writing": (
        "A body is JSON, a form or a multipart form. In forms, brackets hold lists and the fields of a "
        "nested record (`venue[city]=Rome`). Fields may also stand in the query string; the body goes "
        "before it. Unknown fields are ignored."
    ),
    "about.errors": (
        "Every error has the same shape: a stable `code`, a `message` for people, and `data` with the "
        "status. All parameters that are wrong are reported together. A method that an address does not "
        "take is 405 rest_method_not_allowed, an address that does not exist 404 rest_no_route."
    ),
    # groups of operations
    "tag.index": "The interface itself.",
    "tag.event": "Events with their dates, places and prices.",
    "tag.venue": "The places of events.",
    "tag.organizer": "The people and groups behind events.",
    "tag.category": "Categories of events, in a tree.",
    "tag.tag": "Tags of events.",
    # summaries
    "doc.read": "Read this description",
    "index.read": "Read which routes there are",
    "event.list": "List events",
    "event.create": "Create an event",
    "event.read": "Read an event",
    "event.update": "Change an event",
    "event.delete": "Move an event to the trash",
    "venue.list": "List venues",
    "venue.create": "Create a venue",
    "venue.read": "Read a venue",
    "venue.update": "Change a venue",
    "venue.delete": "Move a venue to the trash",
    "organizer.list": "List organizers",
    "organizer.create": "Create an organizer",
    "organizer.read": "Read an organizer",
    "organizer.update": "Change an organizer",
    "organizer.delete": "Move an organizer to the trash",
    "category.list": "List categories",
    "category.create": "Create a category",
    "category.read": "Read a category",
    "category.update": "Change a category",
    "category.delete": "Delete a category",
    "tag.list": "List tags",
    "tag.create": "Create a tag",
    "tag.read": "Read a tag",
    "tag.update": "Change a tag",
    "tag.delete": "Delete a tag",
    "summary.by-slug": "{summary}, by its slug",
    "summary.head": "{summary}: headers only",
    "summary.describe": "{path}: methods and arguments",
    # descriptions
    "explain.doc": "The interface as an OpenAPI document, in the language of the address.",
    "explain.index": "Every route with its methods and their arguments, in the language of the address.",
    "explain.list": "The records that the caller may read and that all filters match, a page at a time.",
    "explain.list.event": (
        "Without date filters, the list goes from the end of yesterday (UTC) to two years from now; `GET "
        "/` tells the exact dates. Events are in the order of their start. Protected events are masked."
    ),
    "explain.list.linked": "The newest record comes first.",
    "explain.list.term": "A page after the last one is an empty list.",
    "explain.create": (
        "Stores a new record. With an Idempotency-Key, the same request within 24 hours gets the first "
        "answer again."
    ),
    "explain.create.event": (
        "Venues and organizers can be created along with it; everything is stored or nothing. A new name "
        "creates a category for editors only, and a tag for authors as well. What a contributor asks to "
        "publish waits as `pending`."
    ),
    "explain.create.linked": (
        "A record of the same name (and description, if one is sent) is not stored twice: the one that is "
        "there is the answer."
    ),
    "explain.create.term": "The name must be free among the terms with the same parent.",
    "explain.read": "The whole record.",
    "explain.read.event": "A protected event opens with its password; those who may edit it need none.",
    "explain.update": (
        "Changes the fields that are sent; a field that is absent stays as it is, an empty one is "
        "cleared. POST, PUT and PATCH mean the same here."
    ),
    "explain.update.by-slug": "A `slug` in the body is the new one. A password is set by id only.",
    "explain.delete": "The record goes to the trash; changing its `status` brings it back.",
    "explain.delete.term": "Deleting is permanent; what was below a category moves up.",
    "explain.head": "The headers that GET would answer with, without its body.",
    "explain.describe": "What this address takes, as `GET /` tells it.",
    # parameters
    "parameter.id": "Id of the record.",
    "parameter.slug": "Slug of the record, in any letter case.",
    "parameter._fields": (
        "Only these keys of the answer: names with commas between, dots reach inside (`id,venue.city`)."
    ),
    "parameter.namespace": "The namespace to describe.",
    "parameter.context": "What the description is for.",
    "parameter.If-None-Match": (
        "ETag of an earlier answer: if nothing has changed since, the answer is 304."
    ),
    "parameter.If-Match": (
        "ETag of the record as the caller knows it: if it has changed since, nothing is stored."
    ),
    "parameter.Idempotency-Key": (
        "A name for this request, chosen by the caller, so that it can be repeated safely."
    ),
    "parameter.X-HTTP-Method-Override": (
        "The method that this POST stands for, where a client cannot send it."
    ),
    "parameter._method": "The same as the header X-HTTP-Method-Override, which goes before it.",
    "takes": "Takes {accepts}.",
    # request bodies and answers
    "body.create": "The fields of the new record.",
    "body.update": "The fields to change.",
    "answer.200": "Success.",
    "answer.201": "The record, which is stored now.",
    "answer.304": "Nothing has changed since the answer with this ETag.",
    "answer.400": "Something in the request is not valid.",
    "answer.401": "Credentials are missing or wrong.",
    "answer.403": "This caller is not allowed to do this.",
    "answer.404": "There is nothing at this address for this caller.",
    "answer.405": "This address does not take the method.",
    "answer.410": "The record is in the trash already.",
    "answer.412": "The record was changed in between.",
    "answer.413": "The body is too large.",
    "answer.415": "The body is of a type that is not read.",
    "answer.422": "The Idempotency-Key belongs to another request.",
    "answer.429": "Too many wrong attempts came from this address.",
    "answer.500": "Something went wrong in the server.",
    "answer.503": "The database cannot be used at the moment.",
    "answer.507": "The disk is full.",
    # headers
    "header.Allow": "The methods that this caller may use here.",
    "header.ETag": "Names this version of the record or list, as this caller sees it.",
    "header.Link": (
        "Addresses of the root of the interface and, for lists, of the next and the previous page."
    ),
    "header.Location": "Address of the new record.",
    "header.Retry-After": "Seconds after which to send the request again.",
    "header.WWW-Authenticate": "How to sign in.",
    "header.X-Request-Id": "Names the request; the log has the same name.",
    "header.X-TEC-Total": "Number of records that the filters match.",
    "header.X-TEC-TotalPages": "Number of pages.",
    # signing in
    "security.basic": "Login and one of its application passwords.",
    "security.bearer": "An application password by itself.",
    # codes
    "code.rest_invalid_param": (
        "Parameters are not valid; `data.params` has a sentence for each, and `data.details` the code "
        "rest_invalid_type for those of a wrong type."
    ),
    "code.rest_missing_callback_param": "Required parameters are missing; `data.params` names them.",
    "code.rest_invalid_json": "The body says that it is JSON and is not.",
    "code.rest_invalid_body": "The body is not complete or cannot be read.",
    "code.rest_bad_request": "A header of the request cannot be read.",
    "code.rest_invalid_idempotency_key": "The Idempotency-Key cannot be used.",
    "code.rest_unknown_host": "The server does not know itself under the host name of the request.",
    "code.term_exists": "Another term has the name or slug already; `data.term_id` is its id.",
    "code.could-not-create": (
        "The new venue or organizer cannot be made; `data.params` says why. Nothing was stored: send the "
        "request again without it, or with better data."
    ),
    "code.rest_not_authenticated": "The credentials are not valid.",
    "code.rest_too_many_attempts": (
        "After ten wrong secrets for a login or an event, even the right one from the same address waits as "
        "long as Retry-After says."
    ),
    "code.rest_forbidden.401": "Only those who have signed in may do this.",
    "code.rest_forbidden.403": "The role of the caller does not allow this.",
    "code.event-password-protected": "The event is protected, and the password is missing or wrong.",
    "code.not-found": "There is no such record, or the caller may not read it.",
    "code.page-not-found": "The list has no such page.",
    "code.rest_no_route": "The id or slug in the path cannot be one.",
    "code.rest_invalid_namespace": "The namespace is another one.",
    "code.rest_method_not_allowed": (
        "X-HTTP-Method-Override or _method asks for a method that this address does not take."
    ),
    "code.in-trash": "The record was deleted before.",
    "code.rest_precondition_failed": "The record is not the version that If-Match names.",
    "code.rest_body_too_large": "The body has more bytes than the server accepts.",
    "code.rest_unsupported_media_type": "The Content-Type is none that the server reads.",
    "code.rest_idempotency_key_reused": "The key was used for another request within 24 hours.",
    "code.internal_server_error": (
        "A mistake in the server; its log has the reason under `data.request_id`."
    ),
    "code.not_initialised": "There is no database yet.",
    "code.rest_schema_outdated": "The database is older than the server.",
    "code.rest_schema_unknown": "The database is newer than the server.",
    "code.rest_database_unavailable": "The database is busy or out of reach.",
    "code.rest_storage_full": "Nothing was stored, because the disk is full.",
}
