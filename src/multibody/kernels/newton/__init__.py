"""Iteration matrices of implicit methods: their memory."""
