"""The weather of a city, from Open-Meteo: the only tool that uses the network, and only where that was allowed."""
