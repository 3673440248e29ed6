"""What the service is compared to: the same server with nothing, or with little, behind it."""
