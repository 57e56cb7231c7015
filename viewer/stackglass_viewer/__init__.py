"""The Stackglass window: model, presenter and view of profiles, saved and live."""
