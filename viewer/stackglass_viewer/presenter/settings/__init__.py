"""The user's choices, some of them kept between runs: rates, sample types, views, colours."""
