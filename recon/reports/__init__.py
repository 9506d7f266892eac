"""The files a run leaves for people and programs; `writing.write` makes them all."""
