"""The settings of the site that stored and shown records depend on."""

from dataclasses import dataclass
from datetime import tzinfo
from functools import cached_property

from calendar_api.domain import time_zones


@dataclass(frozen=True)
class SiteSettings:
    """`timezone` is an IANA name, `currency_symbol` that of costs without a currency of their own."""

    timezone: str
    currency_symbol: str

    @cached_property
    def zone(self) -> tzinfo:
        return time_zones.named(self.timezone)
